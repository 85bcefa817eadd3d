// RUN: rm -rf %t && mkdir %t && %cc -O1 %s -o %t/program
// RUN: %exits 66 %t/program
// quick_exit tells of races as exit does.
#include "e2e.h"

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
int main(void) {
  run_two(first, second);
  quick_exit(0);
}
