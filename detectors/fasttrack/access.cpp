// FastTrack on the cells of a range: the same-epoch tests, then a simple step, then the rules under the lock.
#include "detectors/fasttrack/access.h"

#include "detectors/fasttrack/block_access.h"
#include "detectors/fasttrack/simple_step.h"
#include "detectors/fasttrack/step.h"
#include "shadow/touched_pages.h"

namespace footrace::fasttrack {

namespace {

// Under the cell's lock: the bytes of the access are all in one group.
bool group_step(Step& s, Cell* cell, u64 w, u64 mask, AccessKind kind) {
  Group* group = group_with_bytes(w, mask);
  if (!group) return false;
  History after = group->history;
  s.in_place = group->mask == mask && has_own_groups(w);
  apply(s, after, mask, kind);
  move_bytes(cell, s.address, w, group, mask, after, s.t.epoch);
  return true;
}

// Under the cell's lock: take it apart, apply the rule to each group the access touches, put it together.
void locked_step(Step& s, Cell* cell, u64 w, u64 r, u64 mask, AccessKind kind) {
  Groups groups;
  take_apart(cell, w, r, s.address, groups);
  u64 rest = mask;
  for (u32 i = 0, n = groups.count; i < n; ++i) {
    u64 touched = groups.group[i].mask & mask;
    if (!touched) continue;
    rest &= ~touched;
    const u64 untouched = groups.group[i].mask & ~mask;
    const bool touched_all = !untouched;
    if (untouched) {
      groups.group[groups.count] = groups.group[i];
      groups.group[groups.count++].mask = untouched;
      groups.group[i].mask = touched;
    }
    s.in_place = touched_all && (has_groups(w) ? has_own_groups(w) : groups.count == 1);
    apply(s, groups.group[i].history, touched, kind);
  }
  if (rest) {
    groups.group[groups.count].history = History();
    groups.group[groups.count].mask = rest;
    apply(s, groups.group[groups.count++].history, rest, kind);
  }
  put_together(cell, s.address, w, r, groups, s.t.epoch);
}

// The same-epoch tests of all representations, without the lock.
FR_INLINE bool cell_seen(const ThreadState& t, const Cell* cell, u64 w, u64 r, u64 mask, bool write) {
  if (!write && has_accessed(w, r, t.epoch, mask)) return true;
  if (has_groups(w)) return groups_same_epoch(cell, w, t.epoch, mask, write);
  if (write) return !is_locked(w) && has_written(w, r, t.epoch, mask);
  return is_set(epoch_bits(r)) && !(mask & ~u64(mask_of(r))) && set_contains(epoch_bits(r), t.epoch) &&
         still_holds(&cell->R, r);
}

void access_cell(ThreadState& t, uptr address, u64 mask, AccessKind kind, SiteId site, ConflictSink sink,
                 void* context, AccessResult& result) {
  Cell* cell = cell_of(address);
  const bool plain = !is_atomic(kind), write = may_write(kind);
  for (u32 spins = 0;;) {
    u64 w = __atomic_load_n(&cell->W, __ATOMIC_ACQUIRE), r = __atomic_load_n(&cell->R, __ATOMIC_ACQUIRE);
    if (asks_header({w, r})) {
      if (ask_header(t, address, plain, write)) return;
      continue;
    }
    if (plain && cell_seen(t, cell, w, r, mask, write)) return;
    if (is_locked(w)) {
      pause_for(spins);
      continue;
    }
    if (plain && may_step_simply(w, r)) {
      Simple outcome = write ? simple_step<true>(t, cell, address, w, r, mask, site, [] {})
                             : simple_step<false>(t, cell, address, w, r, mask, site, [] {});
      if (outcome == Simple::Retry) continue;
      if (outcome == Simple::Done) {
        result.changed = true;
        return;
      }
    }
    if (!swap_cell(cell, w, r, kLockedWord, r)) continue;
    Step step(t, address, site, sink, context);
    if (!has_groups(w) || !group_step(step, cell, w, mask, kind)) locked_step(step, cell, w, r, mask, kind);
    result.changed = true;
    result.conflicts += step.conflicts;
    return;
  }
}

void access_cells(ThreadState& t, uptr block, AccessKind kind, SiteId site, ConflictSink sink, void* context,
                  AccessResult& result) {
  for (u32 i = 0; i < kBlockCells; ++i)
    access_cell(t, block + i * 8, kMaskBits, kind, site, sink, context, result);
}

} // namespace

bool seen_in_this_epoch(const ThreadState& t, uptr address, u64 size, bool write) {
  while (size) {
    u64 offset = address & 7, n = min<u64>(8 - offset, size);
    const Cell* cell = cell_of(address);
    Cell words = load_words(cell);
    if (asks_header(words)) {
      if (!block_seen(t, address, write)) return false;
      n = min<u64>(block_address(address) + kBlockBytes - address, size);
    } else if (!cell_seen(t, cell, words.W, words.R, ((1ull << n) - 1) << offset, write)) {
      return false;
    }
    address += n;
    size -= n;
  }
  return true;
}

AccessResult access(ThreadState& t, uptr address, u64 size, AccessKind kind, u32 site, ConflictSink sink,
                    void* context, bool stop_at_conflict) {
  AccessResult result;
  const bool may_be_whole = size >= kBlockBytes && !is_atomic(kind) && g_compress_blocks;
  while (size && !(stop_at_conflict && result.conflicts)) {
    u64 offset = address & 7, n = min<u64>(8 - offset, size);
    if (may_be_whole && size >= kBlockBytes && !(address % kBlockBytes)) {
      n = kBlockBytes;
      access_block(t, address, kind, site, sink, context, result, access_cells);
    } else {
      access_cell(t, address - offset, ((1ull << n) - 1) << offset, kind, site, sink, context, result);
    }
    address += n;
    size -= n;
    result.done += n;
  }
  return result;
}

namespace {

void forget_bytes(uptr cell_address, u64 mask) {
  Cell* cell = cell_of(cell_address);
  for (u32 spins = 0;;) {
    Cell words = load_words(cell);
    if (asks_header(words)) {
      refine(block_address(cell_address));
    } else if (is_locked(words.W)) {
      pause_for(spins);
    } else if (!words.W && words.R == kEmptyWord) {
      return;
    } else if (mask == kMaskBits) {
      if (!swap_cell(cell, words.W, words.R, 0, kEmptyWord)) continue;
      return drop_words(words.W, words.R);
    } else if (swap_cell(cell, words.W, words.R, kLockedWord, words.R)) {
      Groups groups;
      take_apart(cell, words.W, words.R, cell_address, groups);
      for (u32 i = 0; i < groups.count; ++i)
        if (!(groups.group[i].mask &= ~mask)) groups.group[i].history = History();
      return put_together(cell, cell_address, words.W, words.R, groups, kNoEpoch);
    }
  }
}

// Less than a block, inside one.
void forget_part(uptr address, uptr end) {
  if (address >= end || is_virgin(address)) return;
  while (address < end) {
    u64 offset = address & 7, n = min<u64>(8 - offset, end - address);
    forget_bytes(address - offset, ((1ull << n) - 1) << offset);
    address += n;
  }
}

} // namespace

void forget(uptr address, u64 size) {
  uptr end = address + size, first = round_up(address, kBlockBytes), last = round_down(end, kBlockBytes);
  if (first > last) return forget_part(address, end); // inside one block
  forget_part(address, first);
  if (first < last)
    for_each_touched(reinterpret_cast<uptr>(header_of(first)), reinterpret_cast<uptr>(header_of(last)),
                     [=](uptr from, uptr to) {
                       uptr headers = reinterpret_cast<uptr>(header_of(first));
                       for (; from < to; from += sizeof(BlockHeader))
                         forget_block(first + (from - headers) / sizeof(BlockHeader) * kBlockBytes);
                     });
  forget_part(last, end);
}

} // namespace footrace::fasttrack
