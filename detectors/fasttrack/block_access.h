// Plain accesses to compressed blocks (shadow/block.h): the same rules, once for all cells of a coarse block.
#pragma once

#include "detectors/fasttrack/access.h"
#include "shadow/block_parts.h"

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

// The same for some cells of a coarse or parted block.
FR_INLINE bool cells_seen(const ThreadState& t, uptr address, u64 cells, bool write) {
  const BlockHeader* header = header_of(address);
  Cell words = load_words(&header->state);
  if (FR_LIKELY(state_of(words.W) == BlockState::Parted))
    return !(cells & ~cells_with_epoch(header, words, t.epoch, write));
  return state_of(words.W) != BlockState::Fine && coarse_same_epoch(t, header, words, write);
}

constexpr u32 kFewestTogether = 8; // cells
FR_INLINE bool are_few(u64 cells) {
  return u32(__builtin_popcountll(cells)) < min(kFewestTogether, kBlockCells);
}
// cells_seen that counts: a block that is used in small pieces again and again gets its cells, which hit in line.
bool piece_seen(ThreadState& t, uptr address, u64 cells, bool write);

// A zero cell was met.
enum class Asked : u8 {
  Seen,      // the header says that the thread has made this access in this epoch
  LookAgain, // the cell has words now
  Step       // a step on a part: access_cells_together
};
Asked ask_header(ThreadState& t, uptr address, u64 mask, bool plain, bool write);

// A plain access to whole cells of one block. Returns those that are left because they have words of their own: they must be accessed one by one.
u64 access_cells_together(ThreadState& t, uptr block, u64 cells, AccessKind kind, SiteId site);
// The same for a fine block that seems to have few different cells: they become parts. False: it stays fine, nothing was done.
bool join_cells(ThreadState& t, uptr block, u64 cells, AccessKind kind, SiteId site);
FR_INLINE bool may_join_cells(uptr address, u64 cells, bool write) {
  const BlockHeader* header = header_of(address);
  return g_compress_blocks && __atomic_load_n(&header->state.W, __ATOMIC_RELAXED) == kFineWord &&
         !stays_fine(header) && u32(__builtin_popcountll(cells)) >= kBlockCells / 4 &&
         looks_parted(block_address(address), cells, write);
}
// Fewer cells of a block that was never accessed get cells of their own at once: objects, whose accesses hit in line then.
FR_INLINE bool may_access_together(uptr address, u64 cells) {
  Cell header = load_words(&header_of(address)->state);
  return g_compress_blocks && state_of(header.W) != BlockState::Fine &&
         (!asks_header(header) || !are_few(cells));
}

// An access to a whole block. May leave the block coarse, make it so, or go through its cells with `access_cells`.
using AccessCells = void (*)(ThreadState& t, uptr block, AccessKind kind, SiteId site, ConflictSink sink,
                             void* context, AccessResult& result);
void access_block(ThreadState& t, uptr block, AccessKind kind, SiteId site, ConflictSink sink, void* context,
                  AccessResult& result, AccessCells access_cells);

} // namespace footrace::fasttrack
