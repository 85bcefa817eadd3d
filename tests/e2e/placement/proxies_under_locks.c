// RUN: %e2e %s
// Two variables that are always accessed together, under a lock: no race. Two of which one is accessed in a section of its own: a lock between
// them ends the point at which they could stand for each other.
#include "e2e.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long low, high;
static long inside, outside;
static struct InvisibleGate gate;

__attribute__((noinline)) static void move(long value) {
  pthread_mutex_lock(&lock);
  low -= value; // NORACE
  high += value;
  inside += value; // NORACE
  pthread_mutex_unlock(&lock);
  outside += value; // RACE(outside)
}

static void* first(void* unused) {
  move(1);
  invisible_signal(&gate);
  return NULL;
}
static void* second(void* unused) {
  invisible_wait(&gate, 1);
  move(2);
  return NULL;
}

int main(void) { run_two(first, second); }
