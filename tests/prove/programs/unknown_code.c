// Nothing races that we can see, but what unknown() does is not known.
// VERDICT: unknown
#include <pthread.h>

void unknown(int* pointer);
int shared;

static void* worker(void* argument) { return NULL; }

int main(void) {
  pthread_t thread;
  unknown(&shared);
  pthread_create(&thread, NULL, worker, NULL);
  return 0;
}
