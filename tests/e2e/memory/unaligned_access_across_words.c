// RUN: %e2e %s
// An unaligned eight-byte write covers bytes of two words: its last byte races, the byte behind it does not.
#include "e2e.h"

struct __attribute__((packed)) Loose {
  long value;
};
_Alignas(16) char bytes[32];
static struct InvisibleGate gate;

static void* writer(void* unused) {
  ((struct Loose*)(bytes + 5))->value = -1; // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 1);
  KEEP((int)bytes[4]);  // NORACE
  KEEP((int)bytes[13]); // NORACE
  KEEP((int)bytes[12]); // RACE
  return NULL;
}

int main(void) { run_two(writer, reader); }
