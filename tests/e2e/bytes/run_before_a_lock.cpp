// RUN: %e2e %s
// What is written in sequence without a lock is not told as written under the lock that the thread takes before its run is checked.
// REJECT-TEXT: holding mutex
#include "e2e.h"

struct Text {
  char* letters;
  unsigned long size;
};
static char letters[400];
static Text text = {letters, 0};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static InvisibleGate gate;

__attribute__((noinline)) static void build(Text& t) {
  for (unsigned i = 0; i < 300; ++i) t.letters[t.size++] = char('a' + i % 26); // RACE
}

static void* writer(void*) {
  build(text);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  invisible_signal(&gate);
  return nullptr;
}
static void* reader(void*) {
  invisible_wait(&gate, 1);
  KEEP(letters[250]); // RACE
  return nullptr;
}

int main() { run_two(writer, reader); }
