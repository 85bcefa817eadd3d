// RUN: %e2e %s
// A rwlock that is not obtained (EBUSY, ETIMEDOUT) orders nothing, for reading or for writing.
#include "e2e.h"
#include <errno.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int one, two, three, four;
static struct InvisibleGate gate, end;

static void* holder(void* unused) {
  one = 1;   // RACE(tryrd)
  two = 1;   // RACE(trywr)
  three = 1; // RACE(timedrd)
  four = 1;  // RACE(timedwr)
  pthread_rwlock_wrlock(&lock);
  invisible_signal(&gate);
  invisible_wait(&end, 1);
  pthread_rwlock_unlock(&lock);
  return NULL;
}

static void* other(void* unused) {
  struct timespec past = {1, 0};
  invisible_wait(&gate, 1);
  require(pthread_rwlock_tryrdlock(&lock) == EBUSY, "it is locked");
  KEEP(one); // RACE(tryrd)
  require(pthread_rwlock_trywrlock(&lock) == EBUSY, "it is locked");
  KEEP(two); // RACE(trywr)
  require(pthread_rwlock_timedrdlock(&lock, &past) == ETIMEDOUT, "it is locked");
  KEEP(three); // RACE(timedrd)
  require(pthread_rwlock_timedwrlock(&lock, &past) == ETIMEDOUT, "it is locked");
  KEEP(four); // RACE(timedwr)
  invisible_signal(&end);
  return NULL;
}

int main(void) { run_two(holder, other); }
