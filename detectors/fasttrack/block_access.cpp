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

// What a cell says, if it says the same of all its bytes.
bool whole_state(uptr address, Cell words, CoarseState& state) {
  auto whole_or_none = [](u64 word) { return !mask_of(word) || mask_of(word) == kMaskBits; };
  if (has_tag(words.W) || form_of(words.W) || !whole_or_none(words.W) || !whole_or_none(words.R))
    return false;
  state = {{mask_of(words.W) ? words.W : 0, mask_of(words.R) ? words.R : 0},
           site_in_cell(address, words.W, true),
           site_in_cell(address, words.R, false)};
  return site_of_byte(state.w_site, 0) == state.w_site && site_of_byte(state.r_site, 0) == state.r_site;
}

// All cells say the same, of all their bytes, with the same sites.
bool is_uniform(uptr block, const Cell (&taken)[kBlockCells], CoarseState& state) {
  const Cell first = taken[0];
  if (!whole_state(block, first, state)) return false;
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

namespace {

void refine_block(ThreadState& t, uptr block) {
  const bool parted =
      state_of(__atomic_load_n(&header_of(block)->state.W, __ATOMIC_RELAXED)) == BlockState::Parted;
  t.count(parted ? Transition::block_parts_refined : Transition::block_refined);
  refine(block);
}

// The access conflicts with something in this state: each cell must tell of it.
bool may_conflict(ThreadState& t, const Part& p, bool write) {
  auto ordered = [&](u64 word) {
    if (!is_set(epoch_bits(word))) return !mask_of(word) || covers(t, epoch_bits(word));
    const SetEntry* e = set_entries(epoch_bits(word));
    for (u32 i = 0, n = set_size(epoch_bits(word)); i < n; ++i)
      if (!covers(t, e[i].epoch)) return false;
    return true;
  };
  return !ordered(p.W) || (write && !ordered(p.R));
}

// What the parts are after the access, with references of their own. False: it conflicts.
bool parts_after(BlockStep& s, const Parts& before, u64 cells, AccessKind kind, Parts& after) {
  after.own = before.own;
  u64 rest = cells & ~before.own;
  for (u32 i = 0; i < before.count; ++i) {
    const Part& p = before.part[i];
    const u64 touched = p.cells & cells, untouched = p.cells & ~cells;
    rest &= ~touched;
    if (touched && may_conflict(s.t, p, may_write(kind))) return false;
    if (untouched) {
      after.add(p);
      after.part[after.count - 1].cells = untouched;
      retain_part(p);
    }
    if (touched) after.add(part_of(touched, s.after(p.state(), kind)));
  }
  if (rest) after.add(part_of(rest, s.after({{0, 0}, kNoSite, kNoSite}, kind)));
  join_equal(after);
  return true;
}

void count_step(ThreadState& t, const Parts& after, bool was_parted) {
  if (after.count > kMostParts) t.count(Transition::block_part_evicted);
  const bool is_coarse = after.count == 1 && after.part[0].cells == kAllCells;
  t.count(is_coarse    ? Transition::block_parts_joined
          : was_parted ? Transition::block_parts_step
                       : Transition::block_parted);
}

} // namespace

namespace {
// Of a block whose cells have no words of their own. False: it was used in small pieces so often that it pays for its cells.
bool may_stay_together(BlockHeader* header, u16 weight) {
  u16 hits = __atomic_load_n(&header->hits, __ATOMIC_RELAXED);
  if (hits >= kMostHits) return false;
  note_use(header->hits, u16(hits + weight));
  return true;
}
constexpr u16 kHitWeight = 1, kStepWeight = 16; // a step costs many hits
} // namespace

bool piece_seen(ThreadState& t, uptr address, u64 cells, bool write) {
  if (!cells_seen(t, address, cells, write)) return false;
  if (are_few(cells) && !may_stay_together(header_of(address), kHitWeight))
    refine_block(t, block_address(address));
  return true;
}

Asked ask_header(ThreadState& t, uptr address, u64 mask, bool plain, bool write) {
  const u64 cell = cells_between(round_down(address, 8), round_down(address, 8) + 8);
  if (plain && piece_seen(t, address, cell, write)) return Asked::Seen;
  if (plain && mask == kMaskBits && may_access_together(address, cell)) return Asked::Step;
  refine_block(t, block_address(address));
  return Asked::LookAgain;
}

u64 access_cells_together(ThreadState& t, uptr block, u64 cells, AccessKind kind, SiteId site) {
  BlockHeader* header = header_of(block);
  const bool write = may_write(kind), is_small = are_few(cells);
  for (u32 spins = 0;;) {
    Cell words = load_words(&header->state);
    const BlockState at = state_of(words.W);
    if (at == BlockState::Fine) return cells;
    if (at == BlockState::Locked) {
      pause_for(spins);
      continue;
    }
    const bool seen = at == BlockState::Coarse ? coarse_same_epoch(t, header, words, write)
                                               : !(cells & ~cells_with_epoch(header, words, t.epoch, write));
    if (seen) return 0;
    if (is_small && !may_stay_together(header, kStepWeight)) {
      refine_block(t, block);
      return cells;
    }
    Parts before, after;
    if (!lock_parts(block, words, before)) continue;
    const u64 left = cells & before.own;
    BlockStep step(t, block, site, nullptr, nullptr);
    if (left == cells) {
      unlock_parts(block, words);
      return left;
    }
    if (!parts_after(step, before, cells, kind, after)) {
      for (u32 i = 0; i < after.count; ++i) release_part(after.part[i]);
      unlock_parts(block, words);
      refine_block(t, block);
      return cells;
    }
    count_step(t, after, at == BlockState::Parted);
    publish_parts(block, words, before, after);
    if (!is_small) note_use(header->hits, 0); // it is used in ranges
    return left;
  }
}

namespace {

// Cells with equal words and sites become one part. False: too many parts, or bytes that differ. The references stay the cells'.
bool gather(uptr block, const Cell (&taken)[kBlockCells], u64 cells, Parts& out) {
  for (; cells; cells &= cells - 1) {
    const u32 i = u32(__builtin_ctzll(cells));
    CoarseState state;
    if (!whole_state(block + i * 8, taken[i], state)) return false;
    if (asks_header(state.words)) continue;
    Part part = part_of(1ull << i, state);
    u32 k = 0;
    while (k < out.count && !out.part[k].same_state(part)) ++k;
    if (k < out.count) {
      out.part[k].cells |= part.cells;
      continue;
    }
    if (out.count == kMostParts) return false;
    out.add(part);
  }
  return true;
}

bool all_ordered_before(ThreadState& t, const Cell (&taken)[kBlockCells], u64 cells) {
  for (; cells; cells &= cells - 1)
    if (!is_ordered_before(t, taken[__builtin_ctzll(cells)])) return false;
  return true;
}

} // namespace

bool join_cells(ThreadState& t, uptr block, u64 cells, AccessKind kind, SiteId site) {
  Cell taken[kBlockCells];
  if (!lock_fine_block(block, taken)) return false;
  BlockStep step(t, block, site, nullptr, nullptr);
  Parts before, after;
  const bool write = may_write(kind);
  // What a write covers needs only be judged.
  const bool done = (!write || all_ordered_before(t, taken, cells)) &&
                    gather(block, taken, write ? kAllCells & ~cells : kAllCells, before) &&
                    parts_after(step, before, cells, kind, after) && after.count <= kMostParts;
  if (done) {
    compress_to_parts(block, taken, after);
    t.count(Transition::block_cells_joined);
    return true;
  }
  for (u32 i = 0; i < after.count; ++i) release_part(after.part[i]);
  BlockHeader* header = header_of(block);
  note_use(header->times_refined, u16(header->times_refined + 1)); // not to be tried again and again
  give_back(block, taken);
  t.count(Transition::block_left_fine);
  return false;
}

void access_block(ThreadState& t, uptr block, AccessKind kind, SiteId site, ConflictSink sink, void* context,
                  AccessResult& result, AccessCells access_cells) {
  const BlockHeader* header = header_of(block);
  const bool write = may_write(kind);
  for (u32 spins = 0;;) {
    Cell words = load_words(&header->state);
    BlockState at = state_of(words.W);
    if (at != BlockState::Fine && coarse_same_epoch(t, header, words, write))
      return; // R of a parted one is no epoch
    if (at == BlockState::Locked) {
      pause_for(spins);
      continue;
    }
    if (at == BlockState::Parted) {
      if (!access_cells_together(t, block, kAllCells, kind, site)) return;
      refine(block); // what has words of its own makes it fine for now
      continue;
    }
    if (at == BlockState::Fine && (stays_fine(header) || (!write && !looks_uniform(block)))) {
      if (may_join_cells(block, kAllCells, write) && join_cells(t, block, kAllCells, kind, site)) return;
      return access_cells(t, block, kind, site, sink, context, result);
    }
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
    result.conflicts += step.conflicts;
    return;
  }
}

} // namespace footrace::fasttrack
