// RUN: %e2e %s
// Reference counting: relaxed increments, release decrements, an acquire fence before the last owner frees.
#include "e2e.h"

struct Object {
  int count, data[4];
};

static void release(struct Object* object) {
  if (__atomic_fetch_sub(&object->count, 1, __ATOMIC_RELEASE) != 1) return;
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  object->data[0] = 0; // NORACE
  free(object);        // NORACE
}

static void* owner(void* argument) {
  struct Object* object = (struct Object*)argument;
  KEEP(object->data[0]); // NORACE
  release(object);
  return NULL;
}

int main(void) {
  for (int i = 0; i < 20; ++i) {
    struct Object* object = (struct Object*)calloc(1, sizeof *object);
    pthread_t threads[4];
    object->count = 1;
    for (int k = 0; k < 4; ++k) {
      __atomic_fetch_add(&object->count, 1, __ATOMIC_RELAXED);
      threads[k] = start(owner, object);
    }
    release(object);
    for (int k = 0; k < 4; ++k) join(threads[k]);
  }
}
