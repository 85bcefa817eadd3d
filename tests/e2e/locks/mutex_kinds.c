// RUN: %e2e %s
// Data under one mutex does not race, for every kind and protocol of mutex.
#include "e2e.h"

enum { kinds = 7 };
static pthread_mutex_t mutexes[kinds];
int data[kinds];

static void* body(void* unused) {
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < kinds; ++i) {
      pthread_mutex_lock(&mutexes[i]);
      if (i == 1) pthread_mutex_lock(&mutexes[i]);
      ++data[i]; // NORACE
      if (i == 1) pthread_mutex_unlock(&mutexes[i]);
      ++data[i]; // NORACE
      pthread_mutex_unlock(&mutexes[i]);
    }
  }
  return NULL;
}

int main(void) {
  const int types[kinds] = {PTHREAD_MUTEX_NORMAL,      PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK,
                            PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_MUTEX_NORMAL,    PTHREAD_MUTEX_NORMAL,
                            PTHREAD_MUTEX_NORMAL};
  for (int i = 0; i < kinds; ++i) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, types[i]);
    if (i == 4) pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    if (i == 5) pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    if (i == 6) pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    require(pthread_mutex_init(&mutexes[i], &attributes) == 0, "pthread_mutex_init");
  }
  run_many(3, body);
  for (int i = 0; i < kinds; ++i) {
    require(data[i] == 600, "the mutex excludes"); // NORACE
    pthread_mutex_destroy(&mutexes[i]);
  }
}
