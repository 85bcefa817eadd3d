#include "check/arrays.h"

#include "check/cell.h"
#include "check/step.h"

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
    if (is_fine(h)) return;
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
  if (is_fine(h)) return Asked::Empty;
  if (is_coarse(h) && !is_atomic(kind) && is_same_epoch(t, past_of(h), kind)) {
    count_hit(t, block_address(address));
    return Asked::Seen;
  }
  refine(t, block_address(address));
  return Asked::LookAgain;
}

namespace {

// Brings a swept block back to one past, by an access to all of it: a write that everything is ordered before, or a read of cells that all say the same. R is
// never the same afterwards: a writer who has loaded it before must not find it again, since its W is gone when the block is refined.
class Coarsening {
public:
  Coarsening(ThreadState& t, uptr block, AccessKind kind)
      : t_(t), block_(block), write_(kind == AccessKind::Write) {
    const Unit<u64> first = cell(0);
    W_ = low_word(load_word(first.W)), R_ = low_word(load_word(first.R));
  }

  // False: the cells have different pasts, and keep them.
  bool make() {
    for (u64 i = 0; i < kBlockCells; ++i)
      if (!fits(cell(i), load_word(cell(i).R))) return false;
    const Word after = write_ ? exclusive_after(t_, {}, AccessKind::Write) : after_read();
    if (after.is_none() || !swap_word(header_of(block_), kSweptBlock, kLockedBlock)) return false;
    bool all = true;
    while (all && taken_ < kBlockCells) all = take(cell(taken_));
    for (u64 i = 0; !all && i < taken_; ++i) store_word(cell(i).R, before_[i]);
    store_word(header_of(block_), all ? coarse_block(write_ ? t_.epoch : W_.epoch(), after) : kFineBlock);
    if (all && after.is_set()) know_readers(t_, after);
    return all;
  }

private:
  Unit<u64> cell(u64 i) const { return cell_unit(block_ + i * 8); }

  // None: there would be something to tell, or the block cannot have it.
  Word after_read() {
    const bool may_be_of_a_block =
        !R_.asks_header() && !R_.is_bytes() && (!R_.is_set() || R_.kind() == Reference::CommonSet);
    if (!may_be_of_a_block || W_.is_reference() || !covers(t_, W_) || !has_only_reads(R_)) return Word();
    const Past past = {W_.epoch(), R_};
    if (is_same_epoch(t_, past, AccessKind::Read)) return Word();
    const Word after = exclusive_after(t_, past, AccessKind::Read);
    return after.is_none() ? shared_after(t_, past, AccessKind::Read, Reference::CommonSet) : after;
  }
  bool fits(Unit<u64> unit, u64 r) const {
    if (write_) return !r || is_exclusive(t_, r);
    return r == both<u64>(R_) && load_word(unit.W) == both<u64>(W_);
  }
  bool take(Unit<u64> unit) {
    constexpr u64 kAsks = both<u64>(Word(Reference::Header, 0));
    const u64 r = load_word(unit.R);
    if (!fits(unit, r) || !swap_word(unit.R, r, kAsks)) return false;
    before_[taken_++] = r;
    return fits(unit, r); // a thread that had read in its epoch may have written, which leaves R as it was
  }

  ThreadState& t_;
  const uptr block_;
  const bool write_;
  Word W_, R_; // of the first cell
  u64 before_[kBlockCells], taken_ = 0;
};

} // namespace

bool step_on_block(ThreadState& t, uptr block, AccessKind kind, Found& found) {
  if (!g_compress_blocks) return false;
  u64* header = header_of(block);
  for (u32 spins = 0;;) {
    const u64 h = load_word(header);
    if (h == kFineBlock) {
      swap_word(header, h, kSweptBlock);
      return false;
    }
    if (h == kSweptBlock) {
      if (!Coarsening(t, block, kind).make()) return false;
      t.count(Transition::block_coarsened);
      return true;
    }
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
