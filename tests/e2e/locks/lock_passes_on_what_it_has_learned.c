// RUN: %e2e %s
// A thread that only takes and drops locks makes no step, and so releases again in the epoch that it has released in before. What it has learned
// in between goes on with the later release, also to who has seen the earlier one; what it has not learned does not.
#include "e2e.h"

static pthread_mutex_t early = PTHREAD_MUTEX_INITIALIZER, taught_lock = PTHREAD_MUTEX_INITIALIZER,
                       late = PTHREAD_MUTEX_INITIALIZER;
static struct InvisibleGate released, seen, taught, passed_on;
int step, lesson, secret;

static void pass(pthread_mutex_t* lock) {
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
}

static void* middle(void* unused) {
  step = 1; // NORACE
  pass(&early);
  invisible_signal(&released);
  invisible_wait(&taught, 1);
  pass(&taught_lock);
  pass(&late);
  invisible_signal(&passed_on);
  return NULL;
}

static void* teacher(void* unused) {
  invisible_wait(&seen, 1);
  lesson = 1; // NORACE
  pass(&taught_lock);
  secret = 1; // RACE
  invisible_signal(&taught);
  return NULL;
}

static void* pupil(void* unused) {
  invisible_wait(&released, 1);
  pass(&early);
  invisible_signal(&seen);
  invisible_wait(&passed_on, 1);
  pass(&late);
  KEEP(step);   // NORACE
  KEEP(lesson); // NORACE
  KEEP(secret); // RACE
  return NULL;
}

int main(void) { run_three(middle, teacher, pupil); }
