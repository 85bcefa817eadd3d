// RUN: %e2e %s
// Pages that were unmapped and mapped again, or mapped over, are new objects.
#include "e2e.h"
#include <sys/mman.h>

enum { size = 1 << 16 };
void* address;
static struct InvisibleGate gate;

static void* map(void* where, int flags) {
  void* pages = mmap(where, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  require(pages != MAP_FAILED, "mmap");
  return pages;
}

static void* first(void* unused) {
  long* pages = (long*)map(NULL, 0);
  for (int i = 0; i < size / 8; ++i) pages[i] = i; // NORACE
  invisible_store(&address, pages);
  munmap(pages, size);
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  long* pages = (long*)map(invisible_load(&address), MAP_FIXED);
  for (int i = 0; i < size / 8; ++i) pages[i] = i; // NORACE
  invisible_signal(&gate);
  return NULL;
}

static void* third(void* unused) {
  invisible_wait(&gate, 2);
  long* pages = (long*)map(invisible_load(&address), MAP_FIXED);
  for (int i = 0; i < size / 8; ++i) pages[i] = i; // NORACE
  munmap(pages, size);
  return NULL;
}

int main(void) { run_three(first, second, third); }
