// RUN: %e2e %s
// munmap that is not ordered after another thread's access races with it.
#include "e2e.h"
#include <sys/mman.h>

int* pages;
static struct InvisibleGate gate;

static void* user(void* unused) {
  pages[100] = 1; // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* owner(void* unused) {
  invisible_wait(&gate, 1);
  munmap(pages, 4096); // RACE
  return NULL;
}

int main(void) {
  pages = (int*)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  run_two(user, owner);
}
