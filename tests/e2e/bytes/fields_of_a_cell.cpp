// RUN: %e2e %s
// Fields of one cell in epochs of their own, which change in place: a race with one of them is told of its own line, the others are ordered.
#include "e2e.h"

struct Fields {
  unsigned char flag;
  unsigned char mode;
  unsigned short count;
  int value;
};
alignas(8) Fields fields; // not static: nothing reads some of them
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static InvisibleGate gate;

static void next_epoch() {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}

static void* first(void*) {
  for (int i = 0; i < 5; ++i) {
    fields.flag = 1;
    next_epoch();
    fields.count = 2;
    next_epoch();
    KEEP(fields.mode);
    next_epoch();
    fields.value = 3;
    next_epoch();
  }
  KEEP(fields.value);
  next_epoch();
  fields.count = 4; // RACE
  invisible_signal(&gate);
  return nullptr;
}
static void* second(void*) {
  invisible_wait(&gate, 1);
  next_epoch();
  fields.flag = 2;
  fields.mode = 2;
  fields.value = 2;
  fields.count = 2; // RACE
  return nullptr;
}

int main() { run_two(first, second); }
