// RUN: %e2e %s
// A program's own operator new and delete are used by every form, and its memory is checked.
#include "e2e.h"
#include <new>

static int allocations, releases;
void* operator new(std::size_t size) {
  __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
  if (void* block = malloc(size)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept {
  __atomic_fetch_add(&releases, 1, __ATOMIC_RELAXED);
  free(block);
}

static int* shared;
static InvisibleGate gate;
static void* first(void*) {
  *shared = 1; // RACE
  invisible_signal(&gate);
  return nullptr;
}
static void* second(void*) {
  invisible_wait(&gate, 1);
  *shared = 2; // RACE
  return nullptr;
}

int main() {
  shared = new int(0);
  int* array = new int[4];
  ESCAPE(array);
  require(__atomic_load_n(&allocations, __ATOMIC_RELAXED) >= 2, "new and new[] reach the program's own");
  run_two(first, second);
  delete[] array;
  delete shared;
  require(__atomic_load_n(&releases, __ATOMIC_RELAXED) >= 2, "delete and delete[] too");
}
