#include "detectors/fasttrack/known_readers.h"

#include "detectors/fasttrack/sync_rules.h"

namespace footrace::fasttrack {

static_assert(kReadersShift == 8 + kSetGenerationBits); // neighbours by number have different slots

namespace {

// A reference to the set that the cell's readers are, unless it changes in place.
bool retain_readers(Cell* cell, u64 r) {
  const u64 w = __atomic_load_n(&cell->W, __ATOMIC_ACQUIRE);
  if (has_tag(w) || !swap_cell(cell, w, r, kLockedWord, r)) return false;
  const bool is_common = !looks_own(epoch_bits(r));
  if (is_common) retain_set(epoch_bits(r));
  __atomic_store_n(&cell->W, w, __ATOMIC_RELEASE);
  return is_common;
}

} // namespace

void keep_readers(ThreadState& t, Cell* cell, u64 r) {
  KnownReaders& k = t.readers;
  const u64 slot = slot_of_readers(r);
  if (k.kept[slot] != epoch_bits(r)) {
    if (!retain_readers(cell, r)) return;
    if (k.kept[slot]) release_set(k.kept[slot]);
    k.kept[slot] = epoch_bits(r);
  }
  if (!set_contains(k.kept[slot], t.epoch)) return; // the caller may have found its epoch elsewhere
  ++k.used;
  k.words.word[slot] = r | kMaskBits;
  if (t.published) t.published->readers.word[slot] = r | kMaskBits;
}

void forget_readers(ThreadState& t) {
  t.readers.used = 0;
  t.readers.words = ReadersInLine();
  if (t.published) t.published->readers = ReadersInLine();
}

void drop_readers(ThreadState& t) {
  forget_readers(t);
  for (SetRef& set : t.readers.kept) {
    if (set) release_set(set);
    set = 0;
  }
}

} // namespace footrace::fasttrack
