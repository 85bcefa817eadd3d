// RUN: %e2e %s
// A child of vfork that changes a handler and becomes another program leaves its parent's detector alone.
#include "e2e.h"
#include <signal.h>
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
  for (int i = 0; i < 3; ++i) {
    pid_t child = vfork();
    if (!child) {
      signal(SIGPIPE, SIG_DFL);
      execl("/bin/true", "true", (char*)NULL);
      _exit(1);
    }
    int status;
    require(waitpid(child, &status, 0) == child && status == 0, "the child ran");
  }
  run_two(first, second);
}
