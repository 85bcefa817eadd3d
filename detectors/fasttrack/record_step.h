// [READ EXCLUSIVE], [WRITE EXCLUSIVE] and [READ SHARED] on some bytes of a cell with records: fields of an object, bytes of a table, that threads access one
// after the other, in epochs of their own. The records change in place, under the cell's lock for a few stores; everything else (blocks that
// several cells have, unordered accesses, new readers, blocks that are too small) is left to locked_step.
#pragma once

#include "detectors/fasttrack/simple_step.h"
#include "shadow/cell_records.h"

namespace footrace::fasttrack {

// What the records of a cell are to an access. Without the cell's lock a guess, unless the cell's word is unchanged afterwards.
struct LookAtRecords {
  u64 news = 0;            // bytes that the thread has not yet accessed so in this epoch
  bool is_ordered = false; // everything that could conflict with the access to them is ordered before it
  u64 replaced = 0;        // records, a bit each, that lose the bytes of the access
  static constexpr u32 kNone = ~0u;
  u32 own = kNone;     // the record of this epoch, kind and site
  u32 readers = kNone; // of a read: the record whose readers, a set, have read just these bytes
  SetRef set = 0;      // theirs, as it was read: without the lock the record may be another by now
};

template <bool write>
FR_INLINE LookAtRecords look_at_records(ThreadState& t, const RecordBlock* b, u64 mask, SiteId site) {
  constexpr RecordKind kind = write ? RecordKind::Write : RecordKind::Read;
  const RecordView records(b);
  LookAtRecords look;
  u64 done = 0, unordered = 0;
  for (u32 i = 0; i < records.count; ++i) {
    const u64 word = records.word(i), bytes = word & mask, value = epoch_bits(word);
    if (value == t.epoch && records.tagged(i) == tagged_site(kind, site)) look.own = i;
    if (!bytes) continue;
    const RecordKind its_kind = records.kind(i);
    if (its_kind == RecordKind::AtomicRead && !write) continue;
    if (write || its_kind == RecordKind::Read) look.replaced |= 1ull << i;
    if (FR_UNLIKELY(is_set(value))) {
      const bool is_read = !write && its_kind == RecordKind::Read;
      if (is_read && set_contains(value, t.epoch))
        done |= bytes;
      else if (is_read && mask_of(word) == mask)
        look.readers = i, look.set = value;
      else
        unordered |= bytes;
    } else if (value == t.epoch && its_kind <= kind) {
      done |= bytes;
    } else if (!covers(t, value)) {
      unordered |= bytes;
    }
  }
  look.news = mask & ~done;
  look.is_ordered = !(unordered & look.news);
  return look;
}

// Under the lock. The replaced records lose the new bytes; the thread's own gets them, or it takes the place of one that is left without any.
FR_INLINE bool replace_records(RecordBlock* b, LookAtRecords look, u64 epoch, u32 tagged) {
  u32* sites = record_sites(b);
  u32 count = b->count, place = look.own;
  for (u64 left = look.replaced; left && place == LookAtRecords::kNone; left &= left - 1)
    if (const u32 i = u32(__builtin_ctzll(left)); !(mask_of(b->word[i]) & ~look.news)) place = i;
  if (place == LookAtRecords::kNone) {
    if (FR_UNLIKELY(count == record_capacity(b->size_class))) return false;
    place = count++;
    set_record(b, place, epoch, tagged);
  } else if (place != look.own) {
    set_record(b, place, epoch, tagged);
    look.replaced &= ~(1ull << place);
  }
  while (look.replaced) { // from the last on, so that what moves to a place was looked at before
    const u32 i = 63 - u32(__builtin_clzll(look.replaced));
    look.replaced &= ~(1ull << i);
    if (const u64 word = b->word[i] & ~look.news; mask_of(word)) {
      __atomic_store_n(&b->word[i], word, __ATOMIC_RELAXED);
      continue;
    }
    if (place == --count) place = i;
    set_record(b, i, b->word[count], sites[count]);
  }
  __atomic_store_n(&b->word[place], b->word[place] | look.news, __ATOMIC_RELAXED);
  __atomic_store_n(&b->count, count, __ATOMIC_RELAXED);
  return true;
}

// Under the lock, of an access that is ordered after the records it meets. False: the block is too small, or the thread is not yet among the readers.
template <bool write>
FR_INLINE bool record_in_place(const ThreadState& t, RecordBlock* b, const LookAtRecords& look, SiteId site) {
  if (write || FR_LIKELY(look.readers == LookAtRecords::kNone))
    return replace_records(b, look, t.epoch, tagged_site(write ? RecordKind::Write : RecordKind::Read, site));
  const u64 word = b->word[look.readers];
  const SetRef after = advance_in_own_set(epoch_bits(word), {t.epoch, site, 0});
  if (after) __atomic_store_n(&b->word[look.readers], after | mask_of(word), __ATOMIC_RELAXED);
  return after != 0;
}

template <bool write, class Before>
FR_INLINE Simple record_step(ThreadState& t, Cell* cell, uptr address, u64 w, u64 r, u64 mask, SiteId site,
                             Before before) {
  RecordBlock* b = record_block_of(w);
  LookAtRecords look = look_at_records<write>(t, b, mask, site);
  if (!look.news) return still_holds(&cell->W, w) ? Simple::Done : Simple::Retry;
  if (!look.is_ordered || is_common(b)) return Simple::Lock;
  if (look.readers != LookAtRecords::kNone && !looks_own(look.set)) return Simple::Lock;
  before();
  if (FR_UNLIKELY(!swap_cell(cell, w, r, kLockedWord, r))) return Simple::Retry;
  look = look_at_records<write>(t, b, mask, site); // atomic accesses leave the word as it is
  if (FR_UNLIKELY(!look.news || !look.is_ordered || is_common(b) ||
                  !record_in_place<write>(t, b, look, site))) {
    __atomic_store_n(&cell->W, w, __ATOMIC_RELEASE);
    return Simple::Lock;
  }
  records_changed_in_place(cell, address, w, r, mask, t.epoch);
  const bool is_shared = look.readers != LookAtRecords::kNone;
  ++t.rule_count[u32(write ? Rule::write_exclusive : is_shared ? Rule::read_shared : Rule::read_exclusive)];
  return Simple::Done;
}

} // namespace footrace::fasttrack
