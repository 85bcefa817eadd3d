// A program may bring its own options, which count before the environment's, and its own suppressions.
// RUN: rm -rf %t && mkdir %t && %cc -O1 %s -o %t/program
// RUN: %exits 23 %t/program 2> %t/stderr
// RUN: %filecheck %s < %t/stderr
// RUN: %exits 24 env TSAN_OPTIONS=exitcode=24 %t/program
// CHECK-NOT: hidden_writer
// CHECK: shown_writer
// CHECK: 1 data race found
#include "e2e.h"

const char* __tsan_default_options(void) { return "exitcode=22:report_limit=7"; }
const char* __footrace_default_options(void) { return "exitcode=23"; }
const char* __tsan_default_suppressions(void) { return "race:hidden_writer\n"; }

int hidden, shown;
static struct InvisibleGate gate;

__attribute__((noinline)) static void hidden_writer(void) { hidden = 1; }
__attribute__((noinline)) static void shown_writer(void) { shown = 1; }

static void* first(void* unused) {
  hidden_writer();
  shown_writer();
  invisible_signal(&gate);
  return NULL;
}
static void* second(void* unused) {
  invisible_wait(&gate, 1);
  hidden_writer();
  shown_writer();
  return NULL;
}

int main(void) { run_two(first, second); }
