// The lock of the first index is held while the index moves on.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>

static int counts[8];
static pthread_mutex_t locks[8];

static void count_from(int first) {
  int i = first;
  pthread_mutex_lock(&locks[i]);
  do counts[i]++; // RACE
  while (++i < 8);
  pthread_mutex_unlock(&locks[first]);
}

static void* worker(void* argument) {
  count_from((int)(random() % 8));
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  count_from((int)(random() % 8));
  return 0;
}
