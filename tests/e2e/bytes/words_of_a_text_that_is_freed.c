// RUN: %e2e %s
// Only the first byte of the text is in the shadow while the words behind it wait for their check. The text ends its life without order: the race is told.
#include "e2e.h"

enum { length = 60, word = 6 }; // all of it waits
static volatile char* text;
static struct InvisibleGate gate, freed;

static void* reader(void* unused) {
  int sum = 0;
  for (int k = 0; k < length; ++k)
    if (k % word != word - 1) sum += text[k]; // RACE
  KEEP(sum);
  invisible_signal(&gate);
  invisible_wait(&freed, 1);
  return NULL;
}

static void* owner(void* unused) {
  invisible_wait(&gate, 1);
  free((void*)text); // RACE
  invisible_signal(&freed);
  return NULL;
}

int main(void) {
  text = malloc(length);
  for (int k = 0; k < length; ++k) text[k] = 'x'; // NORACE
  run_two(reader, owner);
}
