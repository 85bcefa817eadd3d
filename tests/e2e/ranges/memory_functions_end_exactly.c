// RUN: %e2e %s
// The byte before and the byte behind a copied or filled range are not part of it.
#include "e2e.h"
#include <string.h>

char a[64], b[64], c[64];
static volatile size_t some = 37;
static struct InvisibleGate gate;

static void* first(void* unused) {
  memset(a + 1, 1, some);     // NORACE
  memcpy(b + 1, c + 1, some); // NORACE
  memmove(a + 1, a + 2, some - 1);
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  a[0] = a[38] = 1; // NORACE
  b[0] = b[38] = 1; // NORACE
  c[0] = c[38] = 1; // NORACE
  return NULL;
}

int main(void) { run_two(first, second); }
