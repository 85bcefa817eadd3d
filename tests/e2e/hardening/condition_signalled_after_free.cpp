// RUN: %e2e %s
// Signalling a condition variable uses its memory: whoever frees it must be ordered after that. A signal under the
// mutex is.
#include "e2e.h"
#include <condition_variable>
#include <mutex>

struct Waited {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  bool done = false;
};
static Waited *late, *in_time;
static std::condition_variable* of_library;
static InvisibleGate gate;

static void* signals(void*) {
  pthread_mutex_lock(&in_time->mutex);
  in_time->done = true;
  pthread_cond_broadcast(&in_time->condition); // NORACE
  pthread_mutex_unlock(&in_time->mutex);

  pthread_cond_signal(&late->condition); // RACE(c)
  of_library->notify_all();              // RACE(cxx)
  invisible_signal(&gate);
  return nullptr;
}
static void* frees(void*) {
  pthread_mutex_lock(&in_time->mutex);
  while (!in_time->done) pthread_cond_wait(&in_time->condition, &in_time->mutex);
  pthread_mutex_unlock(&in_time->mutex);
  pthread_mutex_destroy(&in_time->mutex);
  delete in_time; // NORACE

  invisible_wait(&gate, 1);
  delete late;                 // RACE(c)
  operator delete(of_library); // RACE(cxx)
  return nullptr;
}

int main() {
  late = new Waited;
  in_time = new Waited;
  of_library = new std::condition_variable;
  run_two(signals, frees);
}
