// Atomic accesses that race with nothing and come after others of their kind, to all bytes of a group (rules.cpp: atomic_read, atomic_write): the
// thread's entry in AR or AW moves on in place, under the cell's lock. In a header because this is most of what atomics cost: the runtime calls
// it in line before anything more general.
#pragma once

#include "detectors/fasttrack/access.h"
#include "shadow/cell.h"

namespace footrace::fasttrack {

// The entry is the thread's own, or ordered before it. False: more than that changes.
FR_INLINE bool advance_entry(ThreadState& t, u64& word, SiteId& word_site, SiteId site) {
  if (is_set(word)) {
    const SetRef after = advance_in_own_set(word, {t.epoch, site, 0});
    if (after) word = after;
    return after != 0;
  }
  if (!word || !covers(t, word)) return false;
  word = t.epoch, word_site = site;
  return true;
}

// Under the cell's lock. Who looks at a block without it looks at plain accesses only, so the block keeps its generation.
FR_INLINE bool atomic_step_in_place(ThreadState& t, u64 w, u64 mask, bool write, SiteId site) {
  Group* group = own_group_of(w, mask);
  if (!group) return false;
  History& x = group->history;
  const bool reads_ordered = x.R == x.W || (!is_set(x.R) && covers(t, x.R));
  if (!covers(t, x.W) || (write && !reads_ordered)) return false;
  if (!advance_entry(t, write ? x.AW : x.AR, write ? x.aw_site : x.ar_site, site)) return false;
  ++t.rule_count[u32(write ? Rule::atomic_write : Rule::atomic_read)];
  return true;
}

// The whole step. False: the shadow is as it was, and access() must decide.
FR_INLINE bool atomic_again(ThreadState& t, uptr cell_address, u64 mask, bool write, SiteId site) {
  Cell* cell = cell_of(cell_address);
  const u64 w = __atomic_load_n(&cell->W, __ATOMIC_ACQUIRE), r = __atomic_load_n(&cell->R, __ATOMIC_ACQUIRE);
  if (!has_groups(w) || FR_UNLIKELY(!swap_cell(cell, w, r, kLockedWord, r))) return false;
  const bool done = atomic_step_in_place(t, w, mask, write, site);
  __atomic_store_n(&cell->W, w, __ATOMIC_RELEASE);
  return done;
}

} // namespace footrace::fasttrack
