// [READ SAME EPOCH] and [WRITE SAME EPOCH] of a few cells that have words of their own, in line: no lock, no critical section (docs/shadow.md).
#pragma once

#include "detectors/fasttrack/simple_step.h"
#include "runtime/checked_blocks.h"
#include "runtime/thread.h"

namespace footrace {

// Shorter ranges are looked up faster in their cells than in the table of checked blocks.
constexpr u64 kShortestNoted = 64;
// Longer ones are rather found as blocks.
constexpr u64 kLongestLookedUp = 256;

// Neighbours that are read by the same threads mostly name the same set, which is looked up once: `last` is such a word.
FR_INLINE bool has_seen_bytes(const Thread& t, const Cell* cell, u64 mask, bool write, u64& last) {
  u64 word = __atomic_load_n(write ? &cell->W : &cell->R, __ATOMIC_ACQUIRE);
  if (same_epoch(word, t.epoch, mask)) return true;
  if (write || (mask & ~word)) return false;
  if (word != last && !fasttrack::knows_readers(t, word, mask) &&
      !shared_same_epoch(cell, word, t.epoch, mask))
    return false;
  last = word;
  return true;
}
FR_INLINE bool has_seen_cells(const Thread* t, uptr from, uptr end, bool write) {
  if (from >= end) return true;
  const uptr first = round_down(from, 8), last_cell = round_down(end - 1, 8);
  const u64 front = kMaskBits << (from - first) & kMaskBits, back = kMaskBits >> (7 - (end - 1 - last_cell));
  const Cell* cell = cell_of(first);
  u64 last = 0;
  if (first == last_cell) return has_seen_bytes(*t, cell, front & back, write, last);
  if (!has_seen_bytes(*t, cell, front, write, last)) return false;
  for (uptr at = first + 8; at < last_cell; at += 8)
    if (!has_seen_bytes(*t, ++cell, kMaskBits, write, last)) return false;
  return has_seen_bytes(*t, ++cell, back, write, last);
}
// The word that all of a few whole cells hold: fields of an object that are always accessed together. 0: they differ, or are not such cells.
FR_INLINE u64 common_word(uptr from, u64 size, bool write) {
  if (((from | size) & 7) || !size) return 0;
  const Cell* cell = cell_of(from);
  const u64* word = write ? &cell->W : &cell->R;
  const u64 first = __atomic_load_n(word, __ATOMIC_ACQUIRE);
  u64 different = 0;
  for (u64 left = size; left -= 8;)
    different |= first ^ __atomic_load_n(word += sizeof(Cell) / sizeof *word, __ATOMIC_ACQUIRE);
  return different ? 0 : first;
}
// A longer one that the thread has checked as it is in this epoch.
FR_INLINE bool has_checked_range(Thread* t, uptr from, u64 size, bool write) {
  if (FR_UNLIKELY(!t->checked)) return false;
  critical_enter(t);
  const bool has = t->checked->has_range(t->epoch, from, from + size, write);
  critical_leave(t);
  return has;
}
FR_INLINE bool has_seen_short_range(const Thread* t, uptr from, u64 size, bool write) {
  return size < kShortestNoted && has_seen_cells(t, from, from + size, write);
}

} // namespace footrace
