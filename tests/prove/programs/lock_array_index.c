// The locks and what they guard are in two arrays; a lock has the index of its data.
// VERDICT: race-free by local-lock
#include <pthread.h>
#include <stdlib.h>

static struct {
  int count, sum;
} entries[8];
static pthread_mutex_t locks[8];

static void add(int i, int number) {
  pthread_mutex_lock(&locks[i]);
  entries[i].count++;
  entries[i].sum += number;
  pthread_mutex_unlock(&locks[i]);
}

static void* worker(void* argument) {
  for (int i = 0; i < 8; i++) add(i, 1);
  return NULL;
}

int main(void) {
  for (int i = 0; i < 8; i++) pthread_mutex_init(&locks[i], NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  add((int)(random() % 8), 2);
  pthread_mutex_lock(&locks[5]);
  entries[5].sum = 0;
  pthread_mutex_unlock(&locks[5]);
  return 0;
}
