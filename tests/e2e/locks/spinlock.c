// RUN: %e2e %s
// pthread_spin_lock and a successful trylock protect data; a failed trylock does not.
#include "e2e.h"

static pthread_spinlock_t spin;
int counter, raced;
static struct InvisibleGate gate, end;

static void* body(void* argument) {
  for (int i = 0; i < 200; ++i) {
    if (i % 2)
      pthread_spin_lock(&spin);
    else
      while (pthread_spin_trylock(&spin) != 0) sched_yield();
    ++counter; // NORACE
    pthread_spin_unlock(&spin);
  }
  return NULL;
}

static void* holder(void* unused) {
  pthread_spin_lock(&spin);
  raced = 1; // RACE
  invisible_signal(&gate);
  invisible_wait(&end, 1);
  pthread_spin_unlock(&spin);
  return NULL;
}

static void* other(void* unused) {
  invisible_wait(&gate, 1);
  require(pthread_spin_trylock(&spin) != 0, "it is locked");
  raced = 2; // RACE
  invisible_signal(&end);
  return NULL;
}

int main(void) {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  run_many(2, body);
  run_two(holder, other);
  pthread_spin_destroy(&spin);
}
