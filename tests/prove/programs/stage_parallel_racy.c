// The twin of stage_parallel.c: one thread fewer is joined than was created.
// VERDICT: pairs
#include <pthread.h>

enum { N = 4 };
int shared;

static void* writer(void* argument) {
  shared++;
  return NULL;
}
static void* reader(void* argument) { return (void*)(long)shared; } // RACE

int main(void) {
  shared = 1;
  pthread_t thread, readers[N];
  pthread_create(&thread, NULL, writer, NULL);
  pthread_join(thread, NULL);
  for (int i = 0; i < N; i++) pthread_create(&readers[i], NULL, reader, NULL);
  for (int i = 1; i < N; i++) pthread_join(readers[i], NULL);
  shared = 2; // RACE
  return 0;
}
