// RUN: %e2e %s
// A thread that is cancelled while it reports a race leaves the reporter free for the next one, and its
// cleanup handler is checked as well.
#include "e2e.h"

int first_race, second_race, in_cleanup;
static struct InvisibleGate gate;

static void cleanup(void* unused) {
  in_cleanup = 1; // RACE
}

static void* victim(void* unused) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_cleanup_push(cleanup, NULL);
  invisible_signal(&gate); // from here on we may be cancelled anywhere
  first_race = 1;          // RACE
  for (;;) KEEP(0);
  pthread_cleanup_pop(0);
  return NULL;
}

static void* other(void* thread) {
  in_cleanup = 2;  // RACE
  first_race = 2;  // RACE
  second_race = 2; // RACE
  invisible_signal(&gate);
  return NULL;
}

int main(void) {
  pthread_t helper = start(other, NULL);
  invisible_wait(&gate, 1);
  pthread_t thread = start(victim, NULL);
  invisible_wait(&gate, 2);
  second_race = 1; // RACE
  pthread_cancel(thread);
  join(thread);
  join(helper);
}
