// RUN: %e2e %s
// Which of two variables is read depends on a condition: the other one is not read.
#include "e2e.h"

int first, second, condition;
static struct InvisibleGate gate;

__attribute__((noinline)) static int chosen(void) {
  int* place = condition ? &first : &second;
  return *place; // RACE
}

static void* reader(void* unused) {
  int value = chosen();
  KEEP(value);
  invisible_signal(&gate);
  return NULL;
}

static void* writer(void* unused) {
  invisible_wait(&gate, 1);
  first = 1;  // NORACE
  second = 1; // RACE
  return NULL;
}

int main(void) { run_two(reader, writer); }
