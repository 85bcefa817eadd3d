// RUN: %e2e %s
// A thread leaves through the system call and its memory goes; the first sight of a foreign thread, which touches
// every live thread, must not touch that one. What the dead one did comes before the newcomer.
#include "e2e.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int left_behind;
static int dying_id;
static struct InvisibleGate known, done;
enum { kStack = 1 << 20 };

INVISIBLE static void invisible_exit(void) {
  __asm__ volatile("syscall" : : "a"((long)SYS_exit), "D"(0L) : "rcx", "r11", "memory");
}

static void* dying(void* unused) {
  left_behind = 1; // NORACE
  dying_id = (int)syscall(SYS_gettid);
  invisible_signal(&known);
  invisible_exit();
  return NULL;
}
static void newcomer(union sigval unused) { // a thread of glibc's own
  KEEP(left_behind);                        // NORACE
  invisible_signal(&done);
}

INVISIBLE static int id_of_dying(void) { return dying_id; }

int main(void) {
  void* stack = mmap(NULL, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(stack != MAP_FAILED, "mmap");
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  require(pthread_attr_setstack(&attributes, stack, kStack) == 0, "pthread_attr_setstack");
  pthread_t thread;
  require(pthread_create(&thread, &attributes, dying, NULL) == 0, "pthread_create");
  invisible_wait(&known, 1);
  while (syscall(SYS_tgkill, getpid(), id_of_dying(), 0) == 0) sched_yield();
  // Not munmap: other memory may come to lie there, and a stray write would not fault.
  require(mprotect(stack, kStack, PROT_NONE) == 0, "mprotect");

  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = newcomer};
  struct itimerspec soon = {.it_value.tv_nsec = 1000};
  require(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, "timer_create");
  require(timer_settime(timer, 0, &soon, NULL) == 0, "timer_settime");
  invisible_wait(&done, 1);
  _exit(0); // glibc still lists the dead thread
}
