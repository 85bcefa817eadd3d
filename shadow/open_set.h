// Open sets: readers of shared data that come again in every epoch, without a lock. An open set is one cell's, and each entry carries the
// *life* of the opening; its thread moves it on by one compare-and-swap, and the cell is only read.
//
//   closed ── open_set (a reader that comes again, under the cell's lock) ──► open
//   closed ◄── close_set (whoever locks the cell, or drops the set): ends the life of each entry, which stays as it is from then on ── open
//
// A writer locks the cell and closes the set before it looks at the entries: so it meets the reader's epoch, or the reader finds the life of its
// entry ended, and judges the cell anew. Nothing that a reader was judged by changes while the set is open: that takes the lock.
// An entry is the cell's as long as its life lasts: a life is a generation of the set, so none comes twice, and who has read it looks once
// more whether the cell still has that set.
#pragma once

#include "shadow/cell.h"

namespace footrace {

// Under the lock of the cell that has the set alone. False: it stays closed, since it has too many readers.
bool open_set(SetRef set);
// The same, or the caller has taken the set out of its cell.
void close_open_set(EpochSet* set);
FR_INLINE void close_set(SetRef set) {
  if (EpochSet* s = set_of(set); s->open) close_open_set(s);
}
// A guess without the lock.
FR_INLINE bool looks_open(SetRef set) { return __atomic_load_n(&set_of(set)->open, __ATOMIC_RELAXED); }

// Locks a cell that holds these words; its readers do not move on any more.
FR_INLINE bool lock_words(Cell* cell, u64 w, u64 r) {
  if (FR_UNLIKELY(!swap_cell(cell, w, r, kLockedWord, r))) return false;
  if (!has_records(w) && is_set(epoch_bits(r))) close_set(epoch_bits(r));
  return true;
}

// An entry as two words, for the compare-and-swap: {epoch, site | life << 32}.
static_assert(sizeof(SetEntry) == sizeof(Cell) && offsetof(EpochSet, entry) % alignof(Cell) == 0);
FR_INLINE Cell* words_of(SetEntry& entry) { return reinterpret_cast<Cell*>(&entry); }

enum class OpenStep { Done, LookAgain, NoEntry };
// The entry of the reader in the cell's open set moves on, if the cell has not changed since it held r.
FR_INLINE OpenStep advance_open_reader(const Cell* cell, u64 r, Epoch epoch, SiteId site) {
  SetEntry* entry = entry_of_thread(set_of(epoch_bits(r)), tid_of(epoch));
  if (!entry) return still_holds(&cell->R, r) ? OpenStep::NoEntry : OpenStep::LookAgain;
  const u64 before = __atomic_load_n(&words_of(*entry)->W, __ATOMIC_ACQUIRE),
            tagged = __atomic_load_n(&words_of(*entry)->R, __ATOMIC_ACQUIRE);
  const u64 life = tagged >> 32 << 32;
  if (!life || (before ^ epoch) >> kTidShift || !still_holds(&cell->R, r)) return OpenStep::LookAgain;
  return swap_cell(words_of(*entry), before, tagged, epoch, life | site) ? OpenStep::Done
                                                                         : OpenStep::LookAgain;
}

} // namespace footrace
