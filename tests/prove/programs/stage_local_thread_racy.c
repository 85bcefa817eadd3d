// The twin of stage_local_thread.c: all threads get the same object.
// VERDICT: pairs
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
  mine->count++;                  // RACE
  mine->part->sum += mine->count; // RACE
  return NULL;
}

int main(void) {
  struct work* work = malloc(sizeof(struct work));
  work->part = malloc(sizeof(struct part));
  while (random() % 4) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, work);
  }
  return 0;
}
