// Twins of lock_array_index.c: another index, the index of the neighbour, a constant one that does not fit.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>

static int other[8], next[9], fixed[8];
static pthread_mutex_t locks[8];

static void* worker(void* argument) {
  int i = (int)(random() % 8), j = (int)(random() % 8);
  pthread_mutex_lock(&locks[i]);
  other[j]++;    // RACE
  next[i + 1]++; // RACE
  fixed[i]++;    // RACE
  pthread_mutex_unlock(&locks[i]);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  int i = (int)(random() % 8);
  pthread_mutex_lock(&locks[i]);
  other[i]++; // RACE
  next[i]++;  // RACE
  pthread_mutex_unlock(&locks[i]);
  pthread_mutex_lock(&locks[3]);
  fixed[4]++; // RACE
  pthread_mutex_unlock(&locks[3]);
  return 0;
}
