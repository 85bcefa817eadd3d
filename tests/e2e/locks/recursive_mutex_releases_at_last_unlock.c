// RUN: %e2e %s
// The inner unlock of a recursive mutex releases nothing that another thread could acquire; the outer one
// does.
#include "e2e.h"

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int shared, between;

static void* body(void* unused) {
  for (int i = 0; i < 200; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    ++shared; // NORACE
    pthread_mutex_unlock(&mutex);
    ++between; // NORACE
    require(pthread_mutex_trylock(&mutex) == 0, "the owner may");
    ++shared; // NORACE
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void) {
  run_many(3, body);
  require(shared == 1200 && between == 600, "the mutex excludes"); // NORACE
}
