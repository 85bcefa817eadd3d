#include "detectors/fasttrack/block_access.h"

#include "detectors/fasttrack/step.h"
#include "shadow/split.h"

namespace footrace::fasttrack {

namespace {

u64 whole(u64 value) { return value ? value | kMaskBits : 0; }

// The history that every byte of a coarse block has.
History history_of(const CoarseState& state) {
  History x;
  x.W = epoch_bits(state.words.W), x.w_site = state.w_site;
  x.R = epoch_bits(state.words.R), x.r_site = state.r_site;
  return x;
}
CoarseState coarse_of(const History& x) { return {{whole(x.W), whole(x.R)}, x.w_site, x.r_site}; }

// A step on all cells at once.
struct BlockStep : Step {
  using Step::Step;
  // The rule on the one history; the caller owns a reference to the set in the result.
  CoarseState after(const CoarseState& before, AccessKind kind) {
    cells = kBlockCells;
    may_share = true; // by all cells, once it is refined
    History x = history_of(before);
    apply(*this, x, kMaskBits, kind);
    if (is_set(x.R)) retain_set(x.R);
    return coarse_of(x);
  }
};

// The header's state is judged and changed alone; no common path waits for it longer than a few stores.
bool access_coarse(BlockStep& s, uptr block, Cell words, AccessKind kind) {
  CoarseState state = {words, kNoSite, kNoSite};
  if (!lock_coarse(block, state)) return false;
  CoarseState after = s.after(state, kind);
  publish_coarse(block, after);
  drop_words(words.W, words.R);
  s.t.count(Transition::block_coarse_step);
  return true;
}

// Nothing that a write of this thread could conflict with: no need to take the cell apart.
bool is_ordered_before(ThreadState& t, Cell words) {
  if (has_tag(words.W) || form_of(words.W) || is_set(epoch_bits(words.R))) return false;
  auto ordered = [&](u64 word) { return !mask_of(word) || covers(t, epoch_bits(word)); };
  return ordered(words.W) && ordered(words.R);
}

// A write replaces whatever there was: every cell is judged, and all are equal afterwards.
void write_taken(BlockStep& s, uptr block, const Cell (&taken)[kBlockCells]) {
  for (u32 i = 0; i < kBlockCells; ++i) {
    if (is_ordered_before(s.t, taken[i])) {
      s.count(Rule::write_exclusive);
      continue;
    }
    s.address = block + i * 8;
    Groups groups;
    take_apart(cell_of(s.address), taken[i].W, taken[i].R, s.address, groups);
    for (u32 g = 0; g < groups.count; ++g)
      apply(s, groups.group[g].history, groups.group[g].mask, AccessKind::Write);
  }
  u64 word = s.t.epoch | kMaskBits;
  s.t.count(Transition::block_compressed);
  compress(block, taken, {{word, word}, s.site, s.site});
}

SiteId site_in_cell(uptr address, u64 word, bool write) {
  return mask_of(word) && !is_set(epoch_bits(word)) ? load_site(address, write, epoch_bits(word)) : kNoSite;
}

// All cells say the same, of all their bytes, with the same sites.
bool is_uniform(uptr block, const Cell (&taken)[kBlockCells], CoarseState& state) {
  auto whole_or_none = [](u64 word) { return !mask_of(word) || mask_of(word) == kMaskBits; };
  const Cell first = taken[0];
  if (has_tag(first.W) || form_of(first.W) || !whole_or_none(first.W) || !whole_or_none(first.R))
    return false;
  state = {{mask_of(first.W) ? first.W : 0, mask_of(first.R) ? first.R : 0},
           site_in_cell(block, first.W, true),
           site_in_cell(block, first.R, false)};
  if (site_of_byte(state.w_site, 0) != state.w_site || site_of_byte(state.r_site, 0) != state.r_site)
    return false;
  for (u32 i = 1; i < kBlockCells; ++i)
    if (taken[i].W != first.W || taken[i].R != first.R ||
        site_in_cell(block + i * 8, first.W, true) != state.w_site ||
        site_in_cell(block + i * 8, first.R, false) != state.r_site)
      return false;
  return true;
}

// A read leaves the block fine unless its cells are equal.
bool read_taken(BlockStep& s, uptr block, const Cell (&taken)[kBlockCells]) {
  CoarseState state;
  if (!is_uniform(block, taken, state)) {
    give_back(block, taken);
    s.t.count(Transition::block_left_fine);
    return false;
  }
  compress(block, taken, s.after(state, AccessKind::Read));
  s.t.count(Transition::block_compressed);
  return true;
}

} // namespace

bool ask_header(ThreadState& t, uptr address, bool plain, bool write) {
  BlockHeader* header = header_of(address);
  if (plain && block_seen(t, address, write)) {
    u16 hits = __atomic_load_n(&header->hits, __ATOMIC_RELAXED);
    if (hits < kMostHits) {
      note_use(header->hits, u16(hits + 1));
      return true;
    }
  }
  t.count(Transition::block_refined);
  refine(block_address(address));
  return false;
}

void access_block(ThreadState& t, uptr block, AccessKind kind, SiteId site, ConflictSink sink, void* context,
                  AccessResult& result, AccessCells access_cells) {
  const BlockHeader* header = header_of(block);
  const bool write = may_write(kind);
  for (u32 spins = 0;;) {
    Cell words = load_words(&header->state);
    BlockState at = state_of(words.W);
    if (at != BlockState::Fine && coarse_same_epoch(t, header, words, write)) return;
    if (at == BlockState::Locked) {
      pause_for(spins);
      continue;
    }
    if (at == BlockState::Fine && (stays_fine(header) || (!write && !looks_uniform(block))))
      return access_cells(t, block, kind, site, sink, context, result);
    BlockStep step(t, block, site, sink, context);
    if (at == BlockState::Coarse) {
      if (!access_coarse(step, block, words, kind)) continue;
    } else {
      Cell taken[kBlockCells];
      if (!lock_fine_block(block, taken)) continue;
      if (write)
        write_taken(step, block, taken);
      else if (!read_taken(step, block, taken))
        return access_cells(t, block, kind, site, sink, context, result);
    }
    result.changed = true;
    result.conflicts += step.conflicts;
    return;
  }
}

} // namespace footrace::fasttrack
