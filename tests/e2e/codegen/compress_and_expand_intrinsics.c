// RUN: %e2e %s
// The AVX-512 compressing store and expanding load touch as many elements as their mask has bits.
// REQUIRES: avx512f
// FLAGS: -mavx512f
// LEVELS: O0 O2
#include "e2e.h"
#include <immintrin.h>

int stored[16], loaded[16];
static volatile unsigned short mask = 0x0f0;
static struct InvisibleGate gate;

static void* vectors(void* unused) {
  __m512i values = _mm512_maskz_expandloadu_epi32(mask, loaded); // RACE(load)
  _mm512_mask_compressstoreu_epi32(stored, mask, values);        // RACE(store)
  invisible_signal(&gate);
  return NULL;
}

static void* writer(void* unused) {
  invisible_wait(&gate, 1);
  stored[4] = 1; // NORACE
  loaded[4] = 1; // NORACE
  stored[3] = 1; // RACE(store)
  loaded[3] = 1; // RACE(load)
  return NULL;
}

int main(void) { run_two(vectors, writer); }
