// Memory begins a new life: malloc, mmap, a new thread's stack.
#pragma once

#include "check/arrays.h"
#include "check/four_cells.h"
#include "check/step.h"

namespace footrace::fasttrack {

// Forget everything about the range. Null: a thread that nobody knows.
void forget(ThreadState* t, uptr address, u64 size);

// The same for memory that the thread allocates. Accesses that are ordered before it may stay: whoever is ordered after the allocation is
// ordered after them, and whoever is not races with them, in whichever life of the memory they were. False: nothing was forgotten.
bool forget_unordered(ThreadState& t, uptr address, u64 size);
// The same where nothing needs to be forgotten, mostly: less than a block of whole cells that hold what the last free wrote, or nothing. False: who knows.
FR_INLINE bool is_all_ordered(const ThreadState& t, uptr address, u64 size) {
  const uptr end = address + size;
  const u64 first = load_word(header_of(address)), last = load_word(header_of(end - 1));
  if (FR_UNLIKELY(size >= kBlockBytes || first != last || (first && !is_fine(first)))) return false;
  if (first == kVirginBlock) return true;
  const u64 *R = cell_unit(address).R, *R_end = R + size / 4;
  while (R < R_end) { // neighbours mostly hold the same
    const u64 r = load_word(R);
    if (FR_UNLIKELY(!covers(t, low_word(r)) || !covers(t, high_word(r)))) return false;
    for (; R_end - R >= 8; R += 8)
      if (load_word(R) != r || load_word(R + 2) != r || load_word(R + 4) != r || load_word(R + 6) != r) break;
    while (R < R_end && load_word(R) == r) R += 2;
  }
  return true;
}

// A free of whole cells that the thread has written in its epoch is known already.
FR_INLINE bool has_written_cells(const ThreadState& t, uptr address, u64 size) {
  const u64* cell = cell_unit(address).W;
  u64 left = size / 8;
  for (; left >= kTogether; left -= kTogether, cell += 2 * kTogether)
    if (!four_cells_hold(cell, t.epoch, kLanesOfBoth)) return false;
  for (; left; --left, cell += 2)
    if (load_word(cell) != t.both || load_word(cell + 1) != t.both) return false;
  return true;
}

// Stands for all threads that nobody knows. It has parts of the pools, as every thread.
ThreadState& state_of_nobody();

} // namespace footrace::fasttrack
