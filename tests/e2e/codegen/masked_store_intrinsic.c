// RUN: %e2e %s
// The AVX2 masked load and store touch only the lanes whose mask is set.
// REQUIRES: avx2
// FLAGS: -mavx2
// LEVELS: O0 O2
#include "e2e.h"
#include <immintrin.h>

int stored[8], loaded[8];
static struct InvisibleGate gate;

static void* masked(void* unused) {
  __m256i mask = _mm256_setr_epi32(-1, 0, -1, 0, -1, 0, -1, 0);
  ESCAPE(&mask);
  __m256i values = _mm256_maskload_epi32(loaded, mask); // RACE(load)
  _mm256_maskstore_epi32(stored, mask, values);         // RACE(store)
  invisible_signal(&gate);
  return NULL;
}

static void* writer(void* unused) {
  invisible_wait(&gate, 1);
  stored[3] = 1; // NORACE
  loaded[5] = 1; // NORACE
  stored[4] = 1; // RACE(store)
  loaded[6] = 1; // RACE(load)
  return NULL;
}

int main(void) { run_two(masked, writer); }
