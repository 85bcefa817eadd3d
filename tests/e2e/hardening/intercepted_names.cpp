// Accesses that a library function makes for its caller carry the function's name in front.
// RUN: rm -rf %t && mkdir %t && %cxx -O1 %s -o %t/program
// RUN: %exits 66 env FOOTRACE_OPTIONS=verbosity=1 %t/program 2> %t/stderr
// RUN: %filecheck %s < %t/stderr
// RUN: not grep -E "__footrace_|anonymous namespace|trampoline" %t/stderr
// CHECK: #0 {{.*}}memcpy
// CHECK-NEXT: #1 {{.*}}copier
// CHECK: #0 {{.*}}free
// CHECK-NEXT: #1 {{.*}}releaser
// CHECK: #0 {{.*}}operator delete
#include "e2e.h"
#include <string.h>

static char target[64], source[64];
static void *block, *object;
static struct InvisibleGate gate;

// Through a pointer: what the compiler knows to be memcpy is checked in place and needs no name.
static void* (*volatile copy)(void*, const void*, size_t) = memcpy;
__attribute__((noinline)) static void copier(size_t size) {
  copy(target, source, size);
  KEEP(target[0]);
}
__attribute__((noinline)) static void releaser() {
  free(block);
  KEEP(target[0]);
}
__attribute__((noinline)) static void deleter() {
  operator delete(object);
  KEEP(target[0]);
}

static void* first(void*) {
  target[20] = 1;
  static_cast<char*>(block)[3] = 1;
  static_cast<char*>(object)[3] = 1;
  invisible_signal(&gate);
  return nullptr;
}
static void* second(void*) {
  invisible_wait(&gate, 1);
  volatile size_t size = sizeof source;
  copier(size);
  releaser();
  deleter();
  return nullptr;
}

int main() {
  block = malloc(16);
  object = operator new(16);
  run_two(first, second);
}
