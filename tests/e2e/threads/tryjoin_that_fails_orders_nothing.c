// RUN: %e2e %s
// A join that gives up (EBUSY, ETIMEDOUT) orders nothing.
#include "e2e.h"
#include <errno.h>
#include <time.h>

int one, two;
static struct InvisibleGate gate, end;

static void* body(void* unused) {
  one = 1; // RACE(try)
  two = 1; // RACE(timed)
  invisible_signal(&gate);
  invisible_wait(&end, 1);
  return NULL;
}

int main(void) {
  pthread_t thread = start(body, NULL);
  invisible_wait(&gate, 1);
  require(pthread_tryjoin_np(thread, NULL) == EBUSY, "the thread still runs");
  KEEP(one); // RACE(try)
  struct timespec past = {1, 0};
  require(pthread_timedjoin_np(thread, NULL, &past) == ETIMEDOUT, "the thread still runs");
  KEEP(two); // RACE(timed)
  invisible_signal(&end);
  join(thread);
}
