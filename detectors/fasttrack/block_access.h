// Plain accesses to compressed blocks (shadow/block.h): the same rules, once for all cells of a coarse block.
#pragma once

#include "detectors/fasttrack/access.h"
#include "shadow/block.h"

namespace footrace::fasttrack {

// Same-epoch test for any part of a coarse block.
FR_INLINE bool coarse_same_epoch(const ThreadState& t, const BlockHeader* header, Cell words, bool write) {
  if (same_epoch(words.W, t.epoch, kMaskBits) || (!write && same_epoch(words.R, t.epoch, kMaskBits)))
    return true;
  return !write && is_set(epoch_bits(words.R)) && !is_locked(words.W) &&
         set_contains(epoch_bits(words.R), t.epoch) && still_holds(&header->state.R, words.R);
}

FR_INLINE bool block_seen(const ThreadState& t, uptr block, bool write) {
  const BlockHeader* header = header_of(block);
  Cell words = load_words(&header->state);
  return state_of(words.W) != BlockState::Fine && coarse_same_epoch(t, header, words, write);
}

// A zero cell was met. True: the header says that the thread has made this access in this epoch. False: look at the cell again.
bool ask_header(ThreadState& t, uptr address, bool plain, bool write);

// An access to a whole block. May leave the block coarse, make it so, or go through its cells with `access_cells`.
using AccessCells = void (*)(ThreadState& t, uptr block, AccessKind kind, SiteId site, ConflictSink sink,
                             void* context, AccessResult& result);
void access_block(ThreadState& t, uptr block, AccessKind kind, SiteId site, ConflictSink sink, void* context,
                  AccessResult& result, AccessCells access_cells);

} // namespace footrace::fasttrack
