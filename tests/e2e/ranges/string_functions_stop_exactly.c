// RUN: %e2e %s
// String functions do not touch what lies behind the terminator or behind their limit.
// FLAGS: -fno-builtin
#include "e2e.h"
#include <string.h>

char text[16] = "abc", copied[16], limited[16], other[16] = "abcdefgh";
static struct InvisibleGate gate;

static void* first(void* unused) {
  KEEP(strlen(text));                // NORACE
  strcpy(copied, text);              // NORACE
  strncpy(limited, "abcdef", 4);     // NORACE
  KEEP(strncmp(other, "abcdef", 4)); // NORACE
  KEEP(strnlen(other, 4));           // NORACE
  KEEP(memchr(other, 'd', 8));       // NORACE
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  text[4] = 'x';    // NORACE
  copied[4] = 'x';  // NORACE
  limited[4] = 'x'; // NORACE
  other[4] = 'x';   // NORACE
  return NULL;
}

int main(void) { run_two(first, second); }
