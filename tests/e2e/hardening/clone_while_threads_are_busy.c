// RUN: %e2e %s
// A child with a copy of the memory, made through glibc's clone while other threads are inside the runtime,
// does not inherit their locks, and what it finds is its exit code.
// LEVELS: O0 O2
#include "e2e.h"
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

static atomic_int stop, counter;
int shared;
static struct InvisibleGate gate;
static char stack[256 << 10] __attribute__((aligned(16)));

static void* busy(void* unused) {
  while (!atomic_load(&stop)) atomic_fetch_add(&counter, 1);
  return NULL;
}
static int quiet_child(void* number) {
  for (int i = 0; i < 100; ++i) atomic_fetch_add(&counter, 1);
  return (int)(long)number;
}
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
static int racy_child(void* unused) {
  run_two(first, second);
  return 0;
}
static int end_of(int (*child)(void*), void* argument) {
  int status;
  pid_t parent_saw = 0;
  pid_t pid = clone(child, stack + sizeof stack, SIGCHLD | CLONE_PARENT_SETTID, argument, &parent_saw);
  require(pid > 0 && pid == parent_saw, "clone");
  require(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "the child ended");
  return WEXITSTATUS(status);
}

// EXIT: 0
int main(void) {
  pthread_t threads[2] = {start(busy, NULL), start(busy, NULL)};
  for (long i = 0; i < 50; ++i) require(end_of(quiet_child, (void*)(i & 7)) == (i & 7), "its own exit code");
  require(end_of(racy_child, NULL) == 66, "the child's race is its exit code");
  require(clone(NULL, stack, SIGCHLD, NULL) == -1, "no function, no child");
  atomic_store(&stop, 1);
  join(threads[0]);
  join(threads[1]);
}
