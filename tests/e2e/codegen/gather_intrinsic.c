// RUN: %e2e %s
// The AVX2 gather instruction: the elements that it reads race, their neighbours do not.
// REQUIRES: avx2
// FLAGS: -mavx2
// LEVELS: O0 O2
#include "e2e.h"
#include <immintrin.h>

int table[64];
static struct InvisibleGate gate;

static void* gathers(void* unused) {
  __m256i index = _mm256_setr_epi32(0, 8, 16, 24, 32, 40, 48, 56);
  __m256i values = _mm256_i32gather_epi32(table, index, 4); // RACE
  KEEP(_mm256_extract_epi32(values, 3));
  invisible_signal(&gate);
  return NULL;
}

static void* writer(void* unused) {
  invisible_wait(&gate, 1);
  table[23] = 1; // NORACE
  table[25] = 1; // NORACE
  table[24] = 1; // RACE
  return NULL;
}

int main(void) { run_two(gathers, writer); }
