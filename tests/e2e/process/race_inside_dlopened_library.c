// RUN: %e2e %s
// A library loaded with dlopen after the start is checked; after dlclose its lines are still known in a
// report.
// LIBRARY: Inputs/racy_library.c
#include "e2e.h"
#include <dlfcn.h>

void* library;
int shared;
static struct InvisibleGate gate;

static void* body(void* argument) {
  long me = (long)argument;
  void (*race_inside)(int) = (void (*)(int))dlsym(library, "race_inside");
  invisible_wait(&gate, (int)me);
  race_inside((int)me);
  invisible_signal(&gate);
  return NULL;
}

static void* writes_by_library(void* unused) {
  void (*write_to)(int*) = (void (*)(int*))dlsym(library, "write_to");
  write_to(&shared);
  dlclose(library);
  invisible_signal(&gate);
  return NULL;
}

static void* reads_after_close(void* unused) {
  invisible_wait(&gate, 3);
  KEEP(shared); // RACE(outside)
  return NULL;
}

int main(int argc, char** argv) {
  library = dlopen(argv[1], RTLD_NOW);
  require(library != NULL, "dlopen");
  run_many(2, body);
  run_two(writes_by_library, reads_after_close);
}
