// Checks of many bytes: cells in a row, and elements at equal distances. What was checked in this epoch is not looked at again, or a few cells at a time.
#pragma once

#include "check/arrays.h"
#include "check/step.h"

namespace footrace::fasttrack {

// The first of these whole cells that the thread has not read (written) in its epoch; `end` if there is none.
uptr first_unseen_cell(ThreadState& t, uptr from, uptr end, bool write);

// An access to whole cells. Ends behind the first unit with a conflict; returns where.
template <bool write> uptr access_cells(ThreadState& t, uptr from, uptr end, Found& found);

// [READ SAME EPOCH] and [WRITE SAME EPOCH] for ranges that the thread has checked before in its epoch, however many cells they span. A loop that comes back to
// a row asks for the same range again. A second check in the same epoch decides nothing new, unless the memory has begun a new life in between,
// and only the thread itself can end one without a race or a new epoch: then it forgets them all (ThreadState::version).
void remember_checked(ThreadState& t, uptr begin, u64 size, u64 stride, u64 count, bool write);

FR_INLINE u32 range_slot(uptr begin, u64 stride) {
  return u32(((begin >> 3) + stride) * 0x9e3779b97f4a7c15 >> 56);
}
static_assert(ThreadState::kRanges == 256); // the top eight bits

FR_INLINE bool has_checked(const ThreadState& t, uptr begin, u64 size, u64 stride, u64 count, bool write) {
  const CheckedRange& r = t.ranges[range_slot(begin, stride)];
  return r.begin == begin && r.version == t.version && r.size == size && r.stride == stride &&
         r.count >= count && (r.write || !write);
}

} // namespace footrace::fasttrack
