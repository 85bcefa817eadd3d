// RUN: %e2e %s
// Frames that were inlined are shown, at every level, for both accesses.
// EXPECT-TEXT: inlined_setter
// EXPECT-TEXT: inlined_caller
// EXPECT-TEXT: inlined_getter
#include "e2e.h"

int shared;
static InvisibleGate gate;

__attribute__((always_inline)) static inline void inlined_setter(int value) {
  shared = value; // RACE
}
__attribute__((always_inline)) static inline void inlined_caller(int value) { inlined_setter(value); }
__attribute__((always_inline)) static inline int inlined_getter() {
  return shared; // RACE
}

static void* writer(void*) {
  inlined_caller(1);
  invisible_signal(&gate);
  return nullptr;
}

static void* reader(void*) {
  invisible_wait(&gate, 1);
  KEEP(inlined_getter());
  return nullptr;
}

int main() { run_two(writer, reader); }
