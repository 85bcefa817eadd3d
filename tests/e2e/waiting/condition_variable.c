// RUN: %e2e %s
// A queue with a condition variable, by wait, timedwait and clockwait: the mutex around the wait orders the
// data.
#include "e2e.h"
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int queue[300], head, tail;

static void* producer(void* unused) {
  for (int i = 0; i < 300; ++i) {
    pthread_mutex_lock(&mutex);
    queue[tail++] = i; // NORACE
    if (i % 2)
      pthread_cond_signal(&changed);
    else
      pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void* consumer(void* unused) {
  for (int i = 0; i < 150; ++i) {
    struct timespec far;
    clock_gettime(i % 3 == 1 ? CLOCK_REALTIME : CLOCK_MONOTONIC, &far);
    far.tv_sec += 20;
    pthread_mutex_lock(&mutex);
    while (head == tail) { // NORACE
      if (i % 3 == 0) pthread_cond_wait(&changed, &mutex);
      if (i % 3 == 1) pthread_cond_timedwait(&changed, &mutex, &far);
      if (i % 3 == 2) pthread_cond_clockwait(&changed, &mutex, CLOCK_MONOTONIC, &far);
    }
    KEEP(queue[head++]); // NORACE
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void) { run_three(producer, consumer, consumer); }
