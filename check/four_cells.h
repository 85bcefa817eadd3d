// Neighbouring cells mostly know the same, so they are looked at four at a time: a line of the cache.
#pragma once

#include "check/cell.h"

#include <emmintrin.h>

namespace footrace::fasttrack {

constexpr u64 kTogether = 4;
constexpr int kLanesOfR = 0xff00, kLanesOfBoth = 0xffff;

// The words of four cells (W and R, or R only) are this one, in all halves. Each half of a load is one load of 8 bytes.
FR_INLINE bool four_cells_hold(const u64* cells, Word word, int lanes) {
  const __m128i* c = reinterpret_cast<const __m128i*>(cells);
  const __m128i wanted = _mm_set1_epi32(int(word.raw));
  const auto same = [&](int i) { return _mm_cmpeq_epi32(_mm_load_si128(c + i), wanted); };
  const __m128i all = _mm_and_si128(_mm_and_si128(same(0), same(1)), _mm_and_si128(same(2), same(3)));
  return (_mm_movemask_epi8(all) & lanes) == lanes;
}

} // namespace footrace::fasttrack
