// Every thread gets an object of its own, and what it points to belongs to that object.
// VERDICT: race-free by local-thread
#include <pthread.h>
#include <stdlib.h>

struct part {
  int sum;
};
struct work {
  int count;
  struct part* part;
};

static void* worker(void* argument) {
  struct work* mine = argument;
  mine->count++;
  mine->part->sum += mine->count;
  return NULL;
}

int main(void) {
  while (random() % 4) {
    pthread_t thread;
    struct work* work = malloc(sizeof(struct work));
    work->part = malloc(sizeof(struct part));
    pthread_create(&thread, NULL, worker, work);
  }
  return 0;
}
