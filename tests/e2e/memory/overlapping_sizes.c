// RUN: %e2e %s
// Accesses of different sizes race exactly where their bytes overlap.
#include "e2e.h"

union {
  long whole;
  int halves[2];
  short quarters[4];
  char bytes[8];
} word;
static struct InvisibleGate gate;

static void* writer(void* unused) {
  word.halves[1] = 7; // RACE(short,byte,whole)
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(word.halves[0]);        // NORACE
  KEEP((int)word.quarters[1]); // NORACE
  KEEP((int)word.bytes[3]);    // NORACE
  KEEP((int)word.quarters[2]); // RACE(short) COVERED
  KEEP((int)word.bytes[7]);    // RACE(byte) COVERED
  KEEP(word.whole);            // RACE(whole)
  return NULL;
}

int main(void) { run_two(writer, reader); }
