// RUN: %e2e %s
// EXIT: 0
// Assembly may be anything, here the end of the process: what was accessed before it is checked before it.
#include "e2e.h"

#include <sys/syscall.h>

volatile int shared;
static struct InvisibleGate gate;

__attribute__((noinline)) static void put_and_end(int which) {
  if (which)
    shared = 1; // RACE(ended)
  else
    shared = 2;
  long number = SYS_exit_group;
  __asm__ volatile("syscall" : "+a"(number) : "D"(0L) : "rcx", "r11", "memory");
}

static void* reader(void* unused) {
  KEEP(shared); // RACE(ended)
  invisible_signal(&gate);
  return NULL;
}

int main(void) {
  pthread_t other = start(reader, NULL);
  invisible_wait(&gate, 1);
  put_and_end(1);
  join(other);
}
