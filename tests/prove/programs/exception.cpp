// The access is in a handler: the function that throws never returns.
// VERDICT: pairs
#include <pthread.h>

int shared;

static void* body(void*) {
  shared = 1; // RACE
  return nullptr;
}

static void fails() {
  for (int i = 0;; i++)
    if (i == 100) throw 1;
}

int main() {
  pthread_t thread;
  try {
    pthread_create(&thread, nullptr, body, nullptr);
    fails();
  } catch (int) {
    shared = 2; // RACE
  }
  return 0;
}
