// [READ EXCLUSIVE], [WRITE EXCLUSIVE] and [READ SHARED] on the bytes of one group of a cell with groups: a field of an object that threads access one
// after the other, in epochs of their own. Its history changes in place, under the cell's lock for a few stores; everything else (parts of groups, bytes of
// several, groups that several cells have, unordered accesses, new readers, atomics) is left to locked_step.
#pragma once

#include "detectors/fasttrack/simple_step.h"

namespace footrace::fasttrack {

enum class GroupState { Seen, Ordered, OrderedReaders, Other };
// What the group is to an access of all of its bytes. Without the cell's lock a guess, except that Seen is true if the cell's word is
// unchanged afterwards.
FR_INLINE GroupState group_state(const ThreadState& t, const Group* group, bool write) {
  const History& h = group->history;
  const u64 w = __atomic_load_n(&h.W, __ATOMIC_RELAXED), r = __atomic_load_n(&h.R, __ATOMIC_RELAXED);
  if (w == t.epoch || (!write && r == t.epoch)) return GroupState::Seen;
  if (__atomic_load_n(&h.AW, __ATOMIC_RELAXED) | __atomic_load_n(&h.AR, __ATOMIC_RELAXED))
    return GroupState::Other;
  if (w && !covers_as_known(t, w)) return GroupState::Other;
  if (is_set(r)) return !write && looks_own(r) ? GroupState::OrderedReaders : GroupState::Other;
  return !r || covers_as_known(t, r) ? GroupState::Ordered : GroupState::Other;
}

// The history after the access, of a group that was Ordered or OrderedReaders. False: the thread is not yet among the readers.
template <bool write> FR_INLINE bool record_in_group(const ThreadState& t, History& h, SiteId site) {
  if (!write && is_set(h.R)) {
    const SetRef after = advance_in_own_set(h.R, {t.epoch, site, 0});
    if (after) __atomic_store_n(&h.R, after, __ATOMIC_RELAXED);
    return after != 0;
  }
  __atomic_store_n(&h.R, t.epoch, __ATOMIC_RELAXED);
  h.r_site = site;
  if (write) {
    __atomic_store_n(&h.W, t.epoch, __ATOMIC_RELAXED);
    h.w_site = site;
  }
  return true;
}

template <bool write, class Before>
FR_INLINE Simple group_step(ThreadState& t, Cell* cell, uptr address, u64 w, u64 r, u64 mask, SiteId site,
                            Before before) {
  Group* group = own_group_of(w, mask);
  if (!group) return Simple::Lock;
  const GroupState guess = group_state(t, group, write);
  if (guess == GroupState::Seen && still_holds(&cell->W, w)) return Simple::Done;
  if (guess == GroupState::Seen || guess == GroupState::Other) return Simple::Lock;
  before();
  if (FR_UNLIKELY(!swap_cell(cell, w, r, kLockedWord, r))) return Simple::Retry;
  // The word was the same, so the group is what it was; but its block may have become a common one.
  if (FR_UNLIKELY(own_group_of(w, mask) != group || group_state(t, group, write) != guess ||
                  !record_in_group<write>(t, group->history, site))) {
    __atomic_store_n(&cell->W, w, __ATOMIC_RELEASE);
    return Simple::Lock;
  }
  group_changed_in_place(cell, address, w, mask, t.epoch, write);
  const bool is_shared = guess == GroupState::OrderedReaders;
  ++t.rule_count[u32(write ? Rule::write_exclusive : is_shared ? Rule::read_shared : Rule::read_exclusive)];
  return Simple::Done;
}

} // namespace footrace::fasttrack
