#include "shadow/open_set.h"

namespace footrace {

namespace {

constexpr u32 kMostOpenReaders = 8; // more share the cell's lock: closing looks at each

// What the entry says does not change any more.
void end_life(SetEntry& entry) {
  for (;;) {
    const u64 epoch = __atomic_load_n(&words_of(entry)->W, __ATOMIC_ACQUIRE),
              tagged = __atomic_load_n(&words_of(entry)->R, __ATOMIC_ACQUIRE);
    if (swap_cell(words_of(entry), epoch, tagged, epoch, u32(tagged))) return;
  }
}

} // namespace

bool open_set(SetRef set) {
  EpochSet* s = set_of(set);
  if (s->count > kMostOpenReaders || !s->generation) return false; // 0 would mean closed
  for (u32 i = 0; i < s->count; ++i)
    __atomic_store_n(&words_of(s->entry[i])->R, u64(s->generation) << 32 | s->entry[i].site,
                     __ATOMIC_RELEASE);
  __atomic_store_n(&s->open, true, __ATOMIC_RELEASE);
  return true;
}

void close_open_set(EpochSet* s) {
  for (u32 i = 0; i < s->count; ++i) end_life(s->entry[i]);
  __atomic_store_n(&s->open, false, __ATOMIC_RELEASE);
}

} // namespace footrace
