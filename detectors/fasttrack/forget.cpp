// Fresh memory: what was known about a range is gone (mmap, a new thread's stack), or as much of it as must go (malloc).
#include "detectors/fasttrack/access.h"
#include "shadow/block_parts.h"
#include "shadow/open_set.h"
#include "shadow/split.h"
#include "shadow/touched_pages.h"

namespace footrace::fasttrack {

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
    } else if (lock_words(cell, words.W, words.R)) {
      Groups groups;
      take_apart(cell, words.W, words.R, cell_address, groups);
      for (u32 i = 0; i < groups.count; ++i)
        if (!(groups.group[i].mask &= ~mask)) groups.group[i].history = History();
      return put_together(cell, cell_address, words.W, words.R, groups, kNoEpoch);
    }
  }
}

void forget_whole_cells(uptr block, u64 cells) {
  for (u64 left = forget_cells(block, cells); left; left &= left - 1)
    forget_bytes(block + u64(__builtin_ctzll(left)) * 8, kMaskBits);
}

// Less than a block, inside one.
void forget_part(uptr address, uptr end) {
  if (address >= end || is_virgin(address)) return;
  uptr first = round_up(address, 8), last = round_down(end, 8);
  if (first < last) {
    forget_whole_cells(block_address(address), cells_between(first, last));
    forget_part(address, first);
    address = last;
  }
  while (address < end) {
    u64 offset = address & 7, n = min<u64>(8 - offset, end - address);
    forget_bytes(address - offset, ((1ull << n) - 1) << offset);
    address += n;
  }
}

// part(from, to) for the beginning and the end of the range, which are not whole blocks, and whole(block) for the blocks between that were
// ever touched.
template <class Part, class Whole> void for_each_block(uptr address, uptr end, Part part, Whole whole) {
  uptr first = round_up(address, kBlockBytes), last = round_down(end, kBlockBytes);
  if (first > last) return part(address, end); // inside one block
  part(address, first);
  if (first < last)
    for_each_touched(reinterpret_cast<uptr>(header_of(first)), reinterpret_cast<uptr>(header_of(last)),
                     [=](uptr from, uptr to) {
                       uptr headers = reinterpret_cast<uptr>(header_of(first));
                       for (; from < to; from += sizeof(BlockHeader))
                         whole(first + (from - headers) / sizeof(BlockHeader) * kBlockBytes);
                     });
  part(last, end);
}

} // namespace

void forget(uptr address, u64 size) { for_each_block(address, address + size, forget_part, forget_block); }

namespace {

// Everything that these words say happens before what the thread does now. Of plain cells; of others nobody asks.
FR_INLINE bool is_ordered(ThreadState& t, Cell words) {
  if (asks_header(words) || has_tag(words.W) || form_of(words.W)) return false;
  return (!words.W || covers(t, epoch_bits(words.W))) &&
         (!mask_of(words.R) || (!is_set(epoch_bits(words.R)) && covers(t, epoch_bits(words.R))));
}

u64 unordered_in_parts(ThreadState& t, const Parts& parts) {
  u64 unordered = 0;
  for (u32 i = 0; i < parts.count; ++i)
    if (!is_ordered(t, {parts.part[i].W, parts.part[i].R})) unordered |= parts.part[i].cells;
  return unordered;
}

// Those of the block's cells that know of an access which is not, or may not be, ordered before the thread.
u64 unordered_cells(ThreadState& t, uptr block, u64 cells) {
  const BlockHeader* header = header_of(block);
  u64 own = cells, unordered = 0;
  for (u32 spins = 0;;) {
    Cell words = load_words(&header->state);
    BlockState at = state_of(words.W);
    if (at == BlockState::Fine) break;
    if (asks_header(words)) return 0;
    if (at == BlockState::Coarse) return is_ordered(t, words) ? 0 : cells;
    Parts parts;
    if (at == BlockState::Locked) {
      pause_for(spins);
    } else if (lock_parts(block, words, parts)) {
      unordered = unordered_in_parts(t, parts) & cells;
      unlock_parts(block, words);
      own = parts.own & cells;
      break;
    }
  }
  Cell ordered = {0, kEmptyWord}; // neighbours mostly hold the same: the free of the last life
  for (; own; own &= own - 1) {
    const u64 i = u64(__builtin_ctzll(own));
    const Cell words = load_words(cell_of(block) + i);
    if (words.W == ordered.W && words.R == ordered.R) continue;
    if (is_ordered(t, words))
      ordered = words;
    else
      unordered |= 1ull << i;
  }
  return unordered;
}

bool forget_unordered_part(ThreadState& t, uptr address, uptr end) {
  if (address >= end || is_virgin(address)) return false;
  uptr first = round_up(address, 8), last = round_down(end, 8);
  if (first >= last) {
    forget_part(address, end);
    return true;
  }
  const u64 unordered = unordered_cells(t, block_address(address), cells_between(first, last));
  if (unordered) forget_whole_cells(block_address(address), unordered);
  forget_part(address, first);
  forget_part(last, end);
  return unordered || address < first || last < end;
}

bool forget_unordered_block(ThreadState& t, uptr block) {
  if (is_virgin(block)) return false;
  if (!unordered_cells(t, block, kAllCells)) {
    note_use(header_of(block)->times_refined, 0); // another life, another use
    return false;
  }
  forget_block(block);
  return true;
}

} // namespace

bool forget_unordered(ThreadState& t, uptr address, u64 size) {
  bool forgotten = false;
  for_each_block(
      address, address + size, [&](uptr from, uptr to) { forgotten |= forget_unordered_part(t, from, to); },
      [&t, &forgotten](uptr block) { forgotten |= forget_unordered_block(t, block); });
  return forgotten;
}

} // namespace footrace::fasttrack
