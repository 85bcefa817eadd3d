// RUN: rm -rf %t && mkdir %t && %cc -O1 %s -o %t/program
// RUN: %exits 66 %t/program unknown 'two words' ''
// RUN: sh -c 'ulimit -s unlimited; exec "$@"' - %exits 66 %t/program unlimited 'two words' ''
// RUN: %exits 66 setarch -L %t/program unknown 'two words' ''
// RUN: %exits 66 setarch -R %t/program unknown 'two words' ''
// RUN: sh -c 'ulimit -s unlimited; exec "$@"' - %exits 66 setarch -L -R %t/program unlimited 'two words' ''
// RUN: sh -c 'ulimit -s 1024; exec "$@"' - %exits 66 %t/program unknown 'two words' ''
// Whatever layout of memory is asked for, the program runs with its arguments, and finds the stack limit that it would find without us.
#include "e2e.h"
#include <string.h>
#include <sys/resource.h>

int shared;
static struct InvisibleGate gate;

static void* first(void* unused) {
  shared = 1;
  invisible_signal(&gate);
  return NULL;
}
static void* second(void* unused) {
  invisible_wait(&gate, 1);
  shared = 2;
  return NULL;
}

int main(int argc, char** argv) {
  require(argc == 4 && !strcmp(argv[2], "two words") && !*argv[3], "the arguments");
  struct rlimit limit;
  getrlimit(RLIMIT_STACK, &limit);
  pthread_attr_t attributes;
  size_t size;
  pthread_attr_init(&attributes);
  pthread_attr_getstacksize(&attributes, &size);
  if (!strcmp(argv[1], "unlimited")) {
    require(limit.rlim_cur == RLIM_INFINITY, "the stack limit");
    require(size == 2 << 20, "the usual size of a thread's stack");
  }
  run_two(first, second);
}
