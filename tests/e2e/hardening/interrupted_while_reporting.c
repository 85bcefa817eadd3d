// RUN: rm -rf %t && mkdir %t && %cc -O1 %s -o %t/program
// RUN: %exits 130 sh -c '%t/program 2> %t/stderr'
// RUN: grep -q second_function %t/stderr
// A program that SIGINT ends right after a race: the report is there, and the signal is what ended the program.
#include "e2e.h"
#include <signal.h>

int shared;
static struct InvisibleGate gate;
static void* first_function(void* unused) {
  shared = 1;
  invisible_signal(&gate);
  return NULL;
}
static void* second_function(void* unused) {
  invisible_wait(&gate, 1);
  shared = 2;
  return NULL;
}
int main(void) {
  signal(SIGINT, SIG_DFL); // whoever runs the tests may ignore it
  run_two(first_function, second_function);
  raise(SIGINT);
}
