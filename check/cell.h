// A cell: what the shadow knows of 8 bytes of the program, in 16 bytes: {W_lo, W_hi, R_lo, R_hi} (abi/shadow_layout.h). A half of it is a *granule*'s, 4 bytes
// of the program, and never shares its state with the other half. What both halves hold alike is looked at, and changed, as one word of 64 bits.
//
// Concurrency: R changes by compare-and-swap only; W by a plain store of who then swaps R (check/step.cpp), so W without R says nothing yet. A zero R belongs to the
// header of the block (check/arrays.h): whoever meets one asks there.
#pragma once

#include "base/platform.h"
#include "check/mapping.h"
#include "check/words.h"

namespace footrace {

constexpr u64 kGranule = 4;

FR_INLINE u32* granule_of(uptr address) { // its W; its R is two words behind
  return reinterpret_cast<u32*>(cell_of(address)) + (address >> 2 & 1);
}

// U: u32 for a granule, u64 for a whole cell.
template <class U> struct Unit {
  U* W;
  U* R;
  uptr address;
  static constexpr u32 kBytes = sizeof(U);
  static constexpr bool kIsCell = sizeof(U) == 8;
};
FR_INLINE Unit<u64> cell_unit(uptr address) {
  u64* cell = reinterpret_cast<u64*>(cell_of(address));
  return {cell, cell + 1, address};
}
FR_INLINE Unit<u32> granule_unit(uptr address) {
  u32* granule = granule_of(address);
  return {granule, granule + 2, address};
}

template <class U> constexpr Reference own_set() { // that may be named by the unit alone
  return Unit<U>::kIsCell ? Reference::CellSet : Reference::OwnSet;
}

template <class U> constexpr U both(Word w) {
  if constexpr (sizeof(U) == 8)
    return u64(w.raw) << 32 | w.raw;
  else
    return w.raw;
}
constexpr Word low_word(u64 u) { return Word(u32(u)); }
constexpr Word high_word(u64 u) { return Word(u32(u >> 32)); }
constexpr bool has_equal_halves(u64 u) { return u32(u) == u32(u >> 32); }
constexpr bool has_equal_halves(u32) { return true; }

template <class U> FR_INLINE U load_word(const U* p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
template <class U> FR_INLINE void store_word(U* p, U value) { __atomic_store_n(p, value, __ATOMIC_RELEASE); }
template <class U> FR_INLINE bool swap_word(U* p, U expected, U value) {
  return __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

} // namespace footrace
