// Atomic accesses that race with nothing and come after others of their kind, to all bytes of a record (rules.cpp: atomic_read, atomic_write): the
// thread's entry moves on in place, under the cell's lock. In a header because this is most of what atomics cost: the runtime calls
// it in line before anything more general.
#pragma once

#include "detectors/fasttrack/access.h"
#include "shadow/cell_records.h"

namespace footrace::fasttrack {

// The entry is the thread's own, or ordered before it. False: more than that changes.
FR_INLINE bool advance_entry(ThreadState& t, RecordBlock* b, u32 i, SiteId site) {
  const u64 word = b->word[i], value = epoch_bits(word);
  if (is_set(value)) {
    const SetRef after = advance_in_own_set(value, {t.epoch, site, 0});
    if (after) __atomic_store_n(&b->word[i], after | mask_of(word), __ATOMIC_RELAXED);
    return after != 0;
  }
  if (!covers(t, value)) return false;
  set_record(b, i, t.epoch | mask_of(word), tagged_site(RecordView(b).kind(i), site));
  return true;
}

// Under the cell's lock. Who looks at a block without it looks at plain accesses only, so the block keeps its generation.
FR_INLINE bool atomic_step_in_place(ThreadState& t, u64 w, u64 mask, bool write, SiteId site) {
  RecordBlock* b = record_block_of(w);
  if (is_common(b)) return false;
  const RecordKind wanted = write ? RecordKind::AtomicWrite : RecordKind::AtomicRead;
  const RecordView records(b);
  u32 own = records.count;
  for (u32 i = 0; i < records.count; ++i) {
    const u64 word = records.word(i);
    if (!(word & mask)) continue;
    const RecordKind kind = records.kind(i);
    if (kind == wanted && mask_of(word) == mask) own = i;
    const bool may_conflict = kind == RecordKind::Write || (write && kind == RecordKind::Read);
    if (may_conflict && (is_set(word) || !covers(t, epoch_bits(word)))) return false;
  }
  if (own == records.count || !advance_entry(t, b, own, site)) return false;
  ++t.rule_count[u32(write ? Rule::atomic_write : Rule::atomic_read)];
  return true;
}

// The whole step. False: the shadow is as it was, and access() must decide.
FR_INLINE bool atomic_again(ThreadState& t, uptr cell_address, u64 mask, bool write, SiteId site) {
  Cell* cell = cell_of(cell_address);
  const u64 w = __atomic_load_n(&cell->W, __ATOMIC_ACQUIRE), r = __atomic_load_n(&cell->R, __ATOMIC_ACQUIRE);
  if (!has_records(w) || FR_UNLIKELY(!swap_cell(cell, w, r, kLockedWord, r))) return false;
  const bool done = atomic_step_in_place(t, w, mask, write, site);
  __atomic_store_n(&cell->W, w, __ATOMIC_RELEASE);
  return done;
}

} // namespace footrace::fasttrack
