// The twin of array_of_locks.c: the lock of one element, the data of another.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>

struct entry {
  int references;
  pthread_mutex_t lock;
} cache[8];

static void add_reference(struct entry* entry) {
  pthread_mutex_lock(&cache[0].lock + random() % 2);
  entry->references++; // RACE
  pthread_mutex_unlock(&cache[0].lock);
}

static void* worker(void* argument) {
  add_reference(&cache[random() % 8]);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  add_reference(&cache[random() % 8]);
  return 0;
}
