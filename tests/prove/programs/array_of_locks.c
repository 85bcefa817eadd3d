// The lock of an element guards the element, whatever its index is.
// VERDICT: race-free by local-lock
#include <pthread.h>
#include <stdlib.h>

struct entry {
  int references;
  pthread_mutex_t lock;
} cache[8];

static void add_reference(struct entry* entry) {
  pthread_mutex_lock(&entry->lock);
  entry->references++;
  pthread_mutex_unlock(&entry->lock);
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
