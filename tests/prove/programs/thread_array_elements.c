// Every thread gets another element of an array.
// VERDICT: race-free by local-thread
#include <pthread.h>

enum { N = 4 };
struct work {
  int count;
} work[N];

static void* worker(void* argument) {
  struct work* mine = argument;
  mine->count++;
  return NULL;
}

int main(void) {
  pthread_t thread;
  for (int i = 0; i < N; i++) pthread_create(&thread, NULL, worker, &work[i]);
  return 0;
}
