// RUN: %e2e %s
// called_from_lib: suppresses what intercepted functions do on behalf of a library; the program's own calls
// count.
// LIBRARY: Inputs/copies.c
// OPTIONS: suppressions=%S/Inputs/called_from_lib.supp
#include "e2e.h"
#include <dlfcn.h>
#include <string.h>

char by_library[32], by_program[32];
static volatile size_t size = 20;
static void (*fill)(char*, size_t, int);
static struct InvisibleGate gate;

static void* body(void* argument) {
  long me = (long)argument;
  invisible_wait(&gate, (int)me);
  fill(by_library, size, (int)me);
  memset(by_program, (int)me, size); // RACE
  invisible_signal(&gate);
  return NULL;
}

int main(int argc, char** argv) {
  void* library = dlopen(argv[1], RTLD_NOW);
  require(library != NULL, "dlopen");
  fill = (void (*)(char*, size_t, int))dlsym(library, "fill");
  run_many(2, body);
}
