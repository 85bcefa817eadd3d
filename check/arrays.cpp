#include "check/arrays.h"

#include "check/cell.h"

namespace footrace {

bool g_compress_blocks;

namespace fasttrack {

namespace {

Past past_of(u64 header) { return {Word(u32(header)).epoch(), Word(u32(header >> 32))}; }

// Fills the cells of the block whose header the caller has locked.
void fill_cells(uptr block, const Past& past) {
  const u64 w = both<u64>(past.W), r = both<u64>(past.R);
  for (u64 i = 0; i < kBlockCells; ++i) {
    const Unit<u64> cell = cell_unit(block + i * 8);
    store_word(cell.W, w);
    store_word(cell.R, r);
  }
}

// Code in line does not know headers. A block that is coarse for the sake of whole rows and has its pivot read stays so; one that is read word by word
// gets words of its own.
void count_hit(ThreadState& t, uptr block) {
  constexpr u32 kPatience = 4;
  const u32 number = u32(block / kBlockBytes);
  BlockHits& hits = t.block_hits[number % ThreadState::kBlockHits];
  if (hits.block != number || hits.epoch != t.epoch) hits = {number, t.epoch, 0};
  if (++hits.hits < kPatience) return;
  hits = {};
  refine(t, block);
}

} // namespace

void refine(ThreadState& t, uptr block) {
  u64* header = header_of(block);
  for (u32 spins = 0;;) {
    const u64 h = load_word(header);
    if (h == kFineBlock) return;
    if (h == kLockedBlock) {
      pause_for(spins);
    } else if (h == kVirginBlock) {
      if (swap_word(header, h, kFineBlock)) return;
    } else if (swap_word(header, h, kLockedBlock)) {
      fill_cells(block, past_of(h));
      store_word(header, kFineBlock);
      t.count(Transition::block_refined);
      return;
    }
  }
}

bool block_seen(ThreadState& t, uptr address, AccessKind kind, u64 size) {
  const u64 h = load_word(header_of(address));
  if (!is_coarse(h) || !is_same_epoch(t, past_of(h), kind)) return false;
  constexpr u64 kFewBytes = 64;
  if (size < kFewBytes) count_hit(t, block_address(address));
  return true;
}

Asked ask_header(ThreadState& t, uptr address, AccessKind kind) {
  const u64 h = load_word(header_of(address));
  if (h == kFineBlock) return Asked::Empty;
  if (is_coarse(h) && !is_atomic(kind) && is_same_epoch(t, past_of(h), kind)) {
    count_hit(t, block_address(address));
    return Asked::Seen;
  }
  refine(t, block_address(address));
  return Asked::LookAgain;
}

bool step_on_block(ThreadState& t, uptr block, AccessKind kind, Found& found) {
  if (!g_compress_blocks) return false;
  u64* header = header_of(block);
  for (u32 spins = 0;;) {
    const u64 h = load_word(header);
    if (h == kFineBlock) return false;
    if (h == kLockedBlock) {
      pause_for(spins);
      continue;
    }
    const Past past = past_of(h);
    const bool write = kind == AccessKind::Write;
    if (h != kVirginBlock && is_same_epoch(t, past, kind)) return true;
    Found nothing(t, [](void*, const Conflict&) {}, nullptr);
    if (tell_conflicts(t, past, kind, {block, u32(kBlockBytes)}, nothing)) { // each cell tells of its own
      refine(t, block);
      return false;
    }
    Word after = exclusive_after(t, past, kind);
    if (after.is_none()) after = shared_after(t, past, kind, Reference::CommonSet);
    if (!swap_word(header, h, coarse_block(write ? t.epoch : past.W, after))) continue;
    t.count(Transition::block_coarse_step);
    if (after.is_set()) know_readers(t, after);
    return true;
  }
}

} // namespace fasttrack
} // namespace footrace
