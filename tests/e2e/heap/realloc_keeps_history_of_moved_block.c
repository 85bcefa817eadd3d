// RUN: %e2e %s
// The new block of realloc is a fresh object, owned by the caller: handing it over properly does not race.
#include "e2e.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int *block, length;

static void* body(void* unused) {
  for (int i = 0; i < 200; ++i) {
    pthread_mutex_lock(&mutex);
    block = (int*)realloc(block, sizeof(int) * (size_t)(length + 1)); // NORACE
    block[length++] = i;                                              // NORACE
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void) {
  run_many(3, body);
  require(length == 600, "all were appended");
  free(block); // NORACE
}
