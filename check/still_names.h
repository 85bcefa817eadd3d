// Is an old access still one that some byte of the shadow would tell? Asked of every entry of a log before it is overwritten, so most answers come from
// comparing the four words of one cell at once.
#pragma once

#include "check/step.h"

namespace footrace::fasttrack {

typedef u32 CellWords __attribute__((vector_size(16))); // W_lo, W_hi, R_lo, R_hi
FR_INLINE CellWords load_cell(uptr address) {
  return *reinterpret_cast<const volatile CellWords*>(cell_of(address));
}
FR_INLINE u32 top_bits(CellWords words) { // a bit for each word
  typedef float Lanes __attribute__((vector_size(16)));
  return u32(__builtin_ia32_movmskps(Lanes(words)));
}

// Epochs of one slot, from `first` to `last`: of a stretch of a log.
class EpochRange {
public:
  EpochRange(Epoch first, Epoch last) : below_(every(first.raw - 1)), above_(every(last.raw + 1)) {}
  // Whether one of them may be named by the cell of an access; mostly none is, for what is accessed often has later ones.
  FR_INLINE bool may_be_named(uptr address) const {
    const SignedWords words = SignedWords(load_cell(address)); // a reference is negative
    const u32 named = top_bits(CellWords((words > below_) & (words < above_)));
    const u32 elsewhere = (top_bits(CellWords(words)) | top_bits(CellWords(words == SignedWords{}))) & 0b1100;
    return named | elsewhere;
  }

private:
  typedef i32 SignedWords __attribute__((vector_size(16)));
  static SignedWords every(u32 raw) { return SignedWords{i32(raw), i32(raw), i32(raw), i32(raw)}; }
  const SignedWords below_, above_;
};

// The same for an access of one kind: a read is not told where a write of its epoch is. False alarms are possible where bytes differ.
FR_INLINE bool still_tells(uptr address, u64 size, AccessKind kind, Epoch epoch) {
  const uptr offset = address % 8;
  if (FR_UNLIKELY(offset + size > 8)) return still_names(address, size, epoch);
  const u32 halves = (offset < kGranule ? 1 : 0) | (offset + size > kGranule ? 2 : 0);
  const CellWords words = load_cell(address);
  const u32 equal = top_bits(CellWords(words == CellWords{epoch.raw, epoch.raw, epoch.raw, epoch.raw}));
  const u32 w = equal & halves, r = equal >> 2 & halves;
  if (kind == AccessKind::Write ? w : r & ~w) return true;
  const u32 unclear =
      top_bits(words | CellWords(words == CellWords{})) >> 2 & halves; // references, or nothing
  return FR_UNLIKELY(unclear) && still_names(address, size, epoch);
}

} // namespace footrace::fasttrack
