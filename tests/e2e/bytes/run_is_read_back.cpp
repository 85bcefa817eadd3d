// RUN: %e2e %s
// A thread reads what it has just written, forwards and backwards, while it waits in a run; afterwards another thread reads it, without order and
// then in order.
#include "e2e.h"

struct Text {
  char* letters;
  unsigned long size;
};
static Text text;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static InvisibleGate gate;

__attribute__((noinline)) static unsigned build(Text& t) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 300; ++i) {
    t.letters[t.size++] = char('a' + i % 26);                               // RACE
    sum += (unsigned char)(t.letters[i] + t.letters[i / 2] + t.letters[0]); // NORACE
  }
  return sum;
}

static char letters[400];

static void* writer(void*) {
  pthread_mutex_lock(&mutex);
  text.letters = letters;
  KEEP(build(text));
  pthread_mutex_unlock(&mutex);
  invisible_signal(&gate);
  return nullptr;
}
static void* reader(void*) {
  invisible_wait(&gate, 1);
  KEEP(letters[250]); // RACE
  pthread_mutex_lock(&mutex);
  KEEP(text.letters[251]); // NORACE
  pthread_mutex_unlock(&mutex);
  return nullptr;
}

int main() { run_two(writer, reader); }
