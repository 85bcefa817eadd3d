// A thread that the C library makes for a timer is unknown until its first check, also when the memory it touches was never touched
// before: its accesses are recorded from the first one on.
// RUN: %e2e %s
#include "e2e.h"

#include <signal.h>
#include <string.h>
#include <time.h>

int value;
static struct InvisibleGate gate;

static void on_timer(union sigval unused) {
  (void)unused;
  value = 1; // RACE
  invisible_signal(&gate);
}

int main(void) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = on_timer;
  timer_t timer;
  require(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, "timer_create");
  struct itimerspec soon;
  memset(&soon, 0, sizeof soon);
  soon.it_value.tv_nsec = 1000000;
  require(timer_settime(timer, 0, &soon, NULL) == 0, "timer_settime");
  invisible_wait(&gate, 1);
  return value == 2; // RACE
}
