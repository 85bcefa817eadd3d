// RUN: %e2e %s
// What waits for its check when a process forks is the parent's: the child neither tells of the race again nor ends with its code.
#include "e2e.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

_Alignas(8) volatile char text[8];
static struct InvisibleGate gate;

static void* reader(void* unused) {
  KEEP((int)text[1]); // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* forks(void* unused) {
  invisible_wait(&gate, 1);
  for (int i = 0; i < 3; ++i) text[i] = 'x'; // RACE
  pid_t child = fork();
  if (!child) exit(0);
  int status = -1;
  waitpid(child, &status, 0);
  require(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child has raced with nobody");
  return NULL;
}

int main(void) { run_two(reader, forks); }
