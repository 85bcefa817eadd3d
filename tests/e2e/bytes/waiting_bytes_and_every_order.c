// RUN: %e2e %s
// Bytes that wait are checked before the thread publishes or learns: what is handed over by a lock, a semaphore, an atomic, a fork or a join
// byte by byte does not race, however few bytes of a word were accessed.
#include "e2e.h"
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

enum { size = 61, rounds = 50 };
static char text[size]; // the last word is never full
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t there, back;
static atomic_int flag;

static void fill(volatile char* s, int from) {
  for (int i = from; i < size; ++i) s[i] = (char)i; // NORACE
}
static int sum(volatile char* s, int from) {
  int all = 0;
  for (int i = from; i < size; ++i) all += s[i]; // NORACE
  return all;
}

static void* other(void* unused) {
  require(sum(text, 0) > 0, "created after the bytes were written");
  for (int round = 0; round < rounds; ++round) {
    sem_wait(&there);
    require(sum(text, round % size) >= 0, "posted");
    fill(text, round % size);
    sem_post(&back);
    pthread_mutex_lock(&mutex);
    fill(text, round % 7);
    pthread_mutex_unlock(&mutex);
    while (atomic_load_explicit(&flag, memory_order_acquire) != 2 * round + 1) sched_yield();
    fill(text, 3);
    atomic_store_explicit(&flag, 2 * round + 2, memory_order_release);
  }
  return NULL;
}

int main(void) {
  sem_init(&there, 0, 0);
  sem_init(&back, 0, 0);
  fill(text, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  for (int round = 0; round < rounds; ++round) {
    if (!round) sem_post(&there);
    sem_wait(&back);
    pthread_mutex_lock(&mutex);
    fill(text, round % 5);
    pthread_mutex_unlock(&mutex);
    atomic_store_explicit(&flag, 2 * round + 1, memory_order_release);
    while (atomic_load_explicit(&flag, memory_order_acquire) != 2 * round + 2) sched_yield();
    require(sum(text, 1) >= 0, "handed back");
    if (round + 1 < rounds) sem_post(&there);
  }
  pthread_join(thread, NULL);
  require(sum(text, 0) > 0, "joined");
}
