// RUN: %e2e %s
// The nearest program where the memory of an earlier block must raise no alarm: the block is handed over by a lock after it was freed and
// allocated again, by its thread and by another one.
// EXPECT-OUT: reused
#include "e2e.h"
#include <malloc.h>

enum { rounds = 50, longs = 125 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct InvisibleGate turn;
static long* handed;

static void fill(long* block, long value) {
  for (int i = 0; i < longs; ++i) block[i] = value; // NORACE
}

static void* producer(void* unused) {
  int reused = 0;
  for (int round = 0; round < rounds; ++round) {
    invisible_wait(&turn, 2 * round);
    long* first = (long*)malloc(longs * sizeof(long));
    ESCAPE(first);
    fill(first, round);
    free(first);
    long* second = (long*)malloc(longs * sizeof(long));
    reused |= first == second;
    pthread_mutex_lock(&lock);
    handed = second; // NORACE
    pthread_mutex_unlock(&lock);
    invisible_signal(&turn);
  }
  if (reused) printf("reused\n");
  return NULL;
}

static void* consumer(void* unused) {
  for (int round = 0; round < rounds; ++round) {
    invisible_wait(&turn, 2 * round + 1);
    pthread_mutex_lock(&lock);
    long* block = handed; // NORACE
    pthread_mutex_unlock(&lock);
    fill(block, round);
    free(block);
    invisible_signal(&turn);
  }
  return NULL;
}

int main(void) {
  mallopt(M_ARENA_MAX, 1);
  run_two(producer, consumer);
}
