// RUN: rm -rf %t && mkdir %t && %cc -O1 %s -o %t/program
// RUN: %exits 66 env FOOTRACE_OPTIONS=findings=%t/findings %t/program
// RUN: grep -q '"closer"' %t/findings
// RUN: %exits 66 env FOOTRACE_OPTIONS=log_path=%t/log %t/program
// RUN: grep -q 'closer' %t/log.*
// A daemon closes everything before it works, between two races too: both are still told.
#include "e2e.h"
#include <unistd.h>

int before, after;
static struct InvisibleGate gate;
static void* first(void* unused) {
  before = 1;
  after = 1;
  invisible_signal(&gate);
  return NULL;
}
static void* closer(void* unused) {
  invisible_wait(&gate, 1);
  before = 2;
  for (int fd = 0; fd < 1024; ++fd) close(fd);
  after = 2;
  return NULL;
}
int main(void) { run_two(first, closer); }
