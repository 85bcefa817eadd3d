// RUN: %e2e %s
// A terabyte that is reserved and given back costs no time, and what was used of it is checked.
#include "e2e.h"
#include <sys/mman.h>
#include <time.h>

static const size_t size = 1ull << 40;
static char* memory;
static struct InvisibleGate gate;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void* user(void* unused) {
  memory[size / 2] = 1; // RACE
  invisible_signal(&gate);
  return NULL;
}
static void* unmapper(void* unused) {
  invisible_wait(&gate, 1);
  munmap(memory, size); // RACE
  return NULL;
}

int main(void) {
  double begin = now();
  memory = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require(memory != MAP_FAILED, "mmap");
  require(mprotect(memory + size / 2, 4096, PROT_READ | PROT_WRITE) == 0, "mprotect");
  double mapped = now();
  run_two(user, unmapper);
  require(mapped - begin < 5, "the mapping took seconds");
}
