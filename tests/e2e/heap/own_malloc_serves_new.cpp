// RUN: %e2e %s
// operator new and delete of the library use the program's own malloc and free.
#include "e2e.h"
#include <dlfcn.h>
#include <new>

static int allocations, releases;

extern "C" void* malloc(std::size_t size) {
  static const auto next = reinterpret_cast<void* (*)(std::size_t)>(dlsym(RTLD_NEXT, "malloc"));
  __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
  return next(size);
}
extern "C" void free(void* block) {
  static const auto next = reinterpret_cast<void (*)(void*)>(dlsym(RTLD_NEXT, "free"));
  __atomic_fetch_add(&releases, 1, __ATOMIC_RELAXED);
  next(block);
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
  allocations = releases = 0;
  shared = new int(0);
  int* array = new int[4];
  ESCAPE(array);
  int* quiet = new (std::nothrow) int(0);
  ESCAPE(quiet);
  require(__atomic_load_n(&allocations, __ATOMIC_RELAXED) == 3, "every form of new calls malloc");
  run_two(first, second);
  const int before = __atomic_load_n(&releases, __ATOMIC_RELAXED);
  delete[] array;
  delete shared;
  delete quiet;
  require(__atomic_load_n(&releases, __ATOMIC_RELAXED) == before + 3, "every form of delete calls free");
}
