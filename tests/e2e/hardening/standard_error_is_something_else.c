// RUN: rm -rf %t && mkdir %t && %cc -O1 %s -o %t/program
// RUN: %exits 66 %t/program open %t/data 2>%t/error
// RUN: printf data | cmp - %t/data
// RUN: %exits 66 env FOOTRACE_OPTIONS=log_path=%t/log %t/program open %t/data
// RUN: printf data | cmp - %t/data && grep -q 'data race' %t/log.*
// RUN: %exits 66 env FOOTRACE_OPTIONS=reporter_path=%t/none:stats=1:verbosity=2 %t/program open %t/data
// RUN: printf data | cmp - %t/data
// RUN: %exits 66 env FOOTRACE_OPTIONS=reporter_path=%t/none:log_path=%t/plain %t/program open %t/data
// RUN: printf data | cmp - %t/data && grep -q 'data race' %t/plain.*
// RUN: %exits 66 %t/program dup2 %t/data && grep -q 'data race' %t/data
// RUN: %exits 66 %t/program dup %t/data && grep -q 'data race' %t/data
// RUN: %exits 66 %t/program freopen %t/data && grep -q 'data race' %t/data
// A file that has got descriptor 2 after the program closed its standard error is not ours to write to. What the program
// made its standard error on purpose is.
#include "e2e.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

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
  const char *how = argv[1], *path = argv[2];
  unlink(path);
  int fd;
  if (!strcmp(how, "open")) {
    close(2);
    fd = open(path, O_CREAT | O_RDWR, 0600);
    if (fd != 2) return 99;
  } else if (!strcmp(how, "freopen")) {
    if (!freopen(path, "w", stderr)) return 99;
    fd = 2;
  } else {
    int file = open(path, O_CREAT | O_RDWR, 0600);
    if (!strcmp(how, "dup")) close(2);
    fd = strcmp(how, "dup") ? dup2(file, 2) : dup(file);
    if (fd != 2) return 99;
  }
  if (write(fd, "data", 4) != 4) return 99;
  run_two(first, second);
}
