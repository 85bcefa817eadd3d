// RUN: %e2e %s
// Words with gaps between them, so that no cell is ever full: one after the other, the bytes of cells wait for their check. A byte of a word in the
// middle of the text races with who writes it; the gap behind it does not.
#include "e2e.h"

enum { length = 60, word = 6 }; // all of it waits
_Alignas(8) static volatile char text[length];
static struct InvisibleGate gate, written;

static void* reader(void* unused) {
  int sum = 0;
  for (int k = 0; k < length; ++k)
    if (k % word != word - 1) sum += text[k]; // RACE
  KEEP(sum);
  invisible_signal(&gate);
  invisible_wait(&written, 1);
  return NULL;
}

static void* writer(void* unused) {
  invisible_wait(&gate, 1);
  text[4 * word + 2] = 'x'; // RACE
  text[4 * word - 1] = ' '; // NORACE
  invisible_signal(&written);
  return NULL;
}

int main(void) { run_two(reader, writer); }
