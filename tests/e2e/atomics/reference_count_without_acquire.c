// RUN: %e2e %s
// The same without the acquire fence: the last owner's free races with another owner's read.
#include "e2e.h"

struct Object {
  int count, data[4];
};
static struct Object* object;
static struct InvisibleGate gate;

static void* reader(void* unused) {
  KEEP(object->data[0]); // RACE
  __atomic_fetch_sub(&object->count, 1, __ATOMIC_RELEASE);
  invisible_signal(&gate);
  return NULL;
}

static void* last(void* unused) {
  invisible_wait(&gate, 1);
  if (__atomic_fetch_sub(&object->count, 1, __ATOMIC_RELEASE) == 1) object->data[0] = 0; // RACE
  return NULL;
}

int main(void) {
  object = (struct Object*)calloc(1, sizeof *object);
  object->count = 2;
  run_two(reader, last);
  free(object);
}
