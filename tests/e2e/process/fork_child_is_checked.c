// RUN: %e2e %s
// A forked child goes on being checked: threads that it creates race, and its exit code says so.
// EXIT: 0
#include "e2e.h"
#include <sys/wait.h>
#include <unistd.h>

int shared;
static struct InvisibleGate gate;

static void* first(void* unused) {
  shared = 1; // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  shared = 2; // RACE
  return NULL;
}

int main(void) {
  pid_t child = fork();
  if (child == 0) {
    run_two(first, second);
    return 0;
  }
  int status;
  waitpid(child, &status, 0);
  require(WIFEXITED(status) && WEXITSTATUS(status) == 66, "the child ends with code 66");
  return 0;
}
