#include "shadow/block.h"

#include "shadow/block_parts.h"
#include "shadow/open_set.h"
#include "shadow/split.h"
#include "shadow/touched_pages.h"

namespace footrace {

bool g_compress_blocks;

namespace {

bool tells_bytes_apart(u64 w, u64 r) {
  auto whole_or_none = [](u64 word) { return mask_of(word) == 0 || mask_of(word) == kMaskBits; };
  return has_records(w) || form_of(w) || !whole_or_none(w) || !whole_or_none(r);
}

u32 encoded_site(u64 word, SiteId site) { return (site << 8) | site_tag(epoch_bits(word)); }

// As in cells, a site follows the compare-and-swap that put its epoch there: wait for it.
SiteId site_of(const u32& site_word, u64 word) {
  if (!mask_of(word) || is_set(epoch_bits(word))) return kNoSite;
  return wait_for_site(&site_word, epoch_bits(word));
}

Cell* cells_of(uptr block) { return cell_of(block); }

// A zero cell gets words of its own. Locked first: {0, r} must not be seen on the way to {w, r}.
void materialise(Cell* cell, uptr address, const CoarseState& state) {
  u64 w = state.words.W, r = state.words.R;
  if (!(w | r)) r = kEmptyWord;
  __atomic_store_n(&cell->W, kLockedWord, __ATOMIC_RELEASE);
  __atomic_store_n(&cell->R, r, __ATOMIC_RELEASE);
  if (mask_of(w)) store_site(address, true, epoch_bits(w), state.w_site);
  if (mask_of(r) && !is_set(epoch_bits(r))) store_site(address, false, epoch_bits(r), state.r_site);
  __atomic_store_n(&cell->W, w, __ATOMIC_RELEASE);
}

// A locked cell becomes zero: R first, so that the words are {locked, 0} on the way and never {0, r}.
void dematerialise(Cell* cell) {
  __atomic_store_n(&cell->R, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&cell->W, 0, __ATOMIC_RELEASE);
}

Cell lock_cell(Cell* cell) {
  for (u32 spins = 0;;) {
    Cell seen = load_words(cell);
    if (is_locked(seen.W))
      pause_for(spins);
    else if (lock_words(cell, seen.W, seen.R))
      return seen;
  }
}

} // namespace

void publish_header(BlockHeader* header, u64 w, u64 r) {
  __atomic_store_n(&header->state.R, r, __ATOMIC_RELEASE);
  __atomic_store_n(&header->state.W, w, __ATOMIC_RELEASE);
}

// One reference to a set becomes one per cell.
void materialise_part(uptr block, const Part& p) {
  for (u64 more = p.cells & (p.cells - 1); more; more &= more - 1) retain_part(p);
  for (u64 cells = p.cells; cells; cells &= cells - 1) {
    u32 i = u32(__builtin_ctzll(cells));
    materialise(cells_of(block) + i, block + i * 8, p.state());
  }
}

void refine(uptr block) {
  BlockHeader* header = header_of(block);
  Cell words;
  Parts parts;
  for (u32 spins = 0;;) {
    words = load_words(&header->state);
    BlockState at = state_of(words.W);
    if (at == BlockState::Fine) return;
    if (at == BlockState::Locked)
      pause_for(spins);
    else if (lock_parts(block, words, parts))
      break;
  }
  if (!asks_header(words) && !stays_fine(header))
    note_use(header->times_refined, u16(header->times_refined + 1));
  for (u32 i = 0; i < parts.count; ++i) materialise_part(block, parts.part[i]);
  if (u64 empty = kAllCells & ~(parts.cells() | parts.own))
    materialise_part(block, part_of(empty, {{0, 0}, kNoSite, kNoSite}));
  publish_header(header, kFineWord, 0);
  if (state_of(words.W) == BlockState::Parted) free_parts(words);
}

bool lock_coarse(uptr block, CoarseState& state) {
  BlockHeader* header = header_of(block);
  if (!swap_cell(&header->state, state.words.W, state.words.R, kLockedWord, state.words.R)) return false;
  state.w_site = site_of(header->sites[0], state.words.W);
  state.r_site = site_of(header->sites[1], state.words.R);
  return true;
}

void publish_coarse(uptr block, const CoarseState& state) {
  BlockHeader* header = header_of(block);
  __atomic_store_n(&header->sites[0], encoded_site(state.words.W, state.w_site), __ATOMIC_RELEASE);
  __atomic_store_n(&header->sites[1], encoded_site(state.words.R, state.r_site), __ATOMIC_RELEASE);
  publish_header(header, state.words.W, state.words.R);
}

bool lock_fine_block(uptr block, Cell (&taken)[kBlockCells]) {
  BlockHeader* header = header_of(block);
  if (!swap_cell(&header->state, kFineWord, 0, kLockedWord, 0)) return false;
  for (u32 i = 0; i < kBlockCells; ++i) taken[i] = lock_cell(cells_of(block) + i);
  return true;
}

namespace {
void empty_cells(uptr block, const Cell (&taken)[kBlockCells]) {
  for (u32 i = 0; i < kBlockCells; ++i) {
    drop_words(taken[i].W, taken[i].R);
    dematerialise(cells_of(block) + i);
  }
}
} // namespace

void compress(uptr block, const Cell (&taken)[kBlockCells], const CoarseState& state) {
  empty_cells(block, taken);
  publish_coarse(block, state);
}

void compress_to_parts(uptr block, const Cell (&taken)[kBlockCells], Parts& parts) {
  empty_cells(block, taken);
  publish_parts(block, {0, 0}, Parts(), parts);
}

void give_back(uptr block, const Cell (&taken)[kBlockCells]) {
  for (u32 i = 0; i < kBlockCells; ++i)
    __atomic_store_n(&(cells_of(block) + i)->W, taken[i].W, __ATOMIC_RELEASE);
  publish_header(header_of(block), kFineWord, 0);
}

namespace {
void forget_use(BlockHeader* header) {
  note_use(header->times_refined, 0);
  note_use(header->hits, 0);
}
} // namespace

void forget_block(uptr block) {
  BlockHeader* header = header_of(block);
  for (u32 spins = 0;;) {
    Cell words = load_words(&header->state);
    BlockState at = state_of(words.W);
    if (asks_header(words)) return; // virgin already
    if (at == BlockState::Locked) {
      pause_for(spins);
    } else if (at == BlockState::Fine) {
      Cell taken[kBlockCells];
      if (!lock_fine_block(block, taken)) continue;
      forget_use(header);
      return compress(block, taken, {{0, 0}, kNoSite, kNoSite});
    } else if (at == BlockState::Parted) {
      forget_use(header);
      if (forget_cells(block, kAllCells)) refine(block);
    } else if (swap_cell(&header->state, words.W, words.R, 0, 0)) {
      forget_use(header);
      return drop_words(words.W, words.R);
    }
  }
}

bool looks_uniform(uptr block) {
  const Cell* cells = cells_of(block);
  Cell first = load_words(cells);
  if (has_tag(first.W) || tells_bytes_apart(first.W, first.R)) return false;
  for (u32 i = 1; i < kBlockCells; ++i) {
    Cell words = load_words(cells + i);
    if (words.W != first.W || words.R != first.R) return false;
  }
  return true;
}

bool looks_parted(uptr block, u64 cells, bool write) {
  const Cell* all = cells_of(block);
  Cell known[kMostParts];
  u32 count = 0;
  for (u64 rest = write ? kAllCells & ~cells : kAllCells; rest; rest &= rest - 1) {
    Cell words = load_words(all + __builtin_ctzll(rest));
    if (has_tag(words.W) || tells_bytes_apart(words.W, words.R)) return false;
    u32 i = 0;
    while (i < count && (known[i].W != words.W || known[i].R != words.R)) ++i;
    if (i < count) continue;
    if (count == kMostParts) return false;
    known[count++] = words;
  }
  return true;
}

namespace {

// So many blocks at once have their headers locked while the kernel takes the pages: 64 KiB of program memory.
constexpr u32 kBatch = 128;

void discard_batch(uptr first) {
  Cell held[kBatch];
  u32 locked = 0;
  for (; locked < kBatch; ++locked) {
    BlockHeader* header = header_of(first + locked * kBlockBytes);
    Cell words = load_words(&header->state);
    if (state_of(words.W) != BlockState::Coarse) break;
    if (!swap_cell(&header->state, words.W, words.R, kLockedWord, words.R)) break;
    held[locked] = words;
  }
  if (locked == kBatch) { // nobody can fill a cell now
    discard_pages(reinterpret_cast<uptr>(cell_of(first)), kBatch * kBlockBytes * 2);
    discard_pages(reinterpret_cast<uptr>(sites_of(first)), kBatch * kBlockBytes);
  }
  while (locked--) publish_header(header_of(first + locked * kBlockBytes), held[locked].W, held[locked].R);
}

} // namespace

void discard_cells(uptr begin, uptr end) {
  constexpr uptr kStep = kBatch * kBlockBytes;
  uptr first = round_up(begin, kStep), last = round_down(end, kStep);
  if (first >= last) return;
  uptr headers = reinterpret_cast<uptr>(header_of(first));
  for_each_touched(headers, reinterpret_cast<uptr>(header_of(last)), [=](uptr from, uptr to) {
    uptr at = first + (from - headers) / sizeof(BlockHeader) * kBlockBytes;
    uptr stop = first + (to - headers) / sizeof(BlockHeader) * kBlockBytes;
    for (at = round_down(at, kStep); at < stop; at += kStep) discard_batch(at);
  });
}

namespace {

const char* broken_parts(Cell words) {
  Parts parts;
  copy_parts(words, parts);
  if (parts.count > kMostParts) return "a parted block has too many parts";
  if (!parts.count && !parts.own) return "a parted block has no parts";
  if (parts.own == kAllCells) return "all cells of a parted block have words of their own";
  u64 seen = parts.own;
  for (u32 i = 0; i < parts.count; ++i) {
    const Part& p = parts.part[i];
    if (!p.cells || (p.cells & seen)) return "parts are empty or have cells in common";
    if (p.cells == kAllCells) return "a part is the whole block";
    if (!(p.W | p.R)) return "a part says nothing";
    if (tells_bytes_apart(p.W, p.R)) return "a part tells bytes of a cell apart";
    for (u32 j = 0; j < i; ++j)
      if (p.same_state(parts.part[j])) return "two parts say the same";
    seen |= p.cells;
  }
  return nullptr;
}

} // namespace

const char* broken_invariant(uptr block) {
  const Cell header = header_of(block)->state, *cells = cells_of(block);
  u64 own = 0; // cells that must have words
  switch (state_of(header.W)) {
  case BlockState::Locked:
    return "a header stays locked";
  case BlockState::Fine:
    own = kAllCells;
    break;
  case BlockState::Coarse:
    if (tells_bytes_apart(header.W, header.R)) return "a coarse state tells bytes of a cell apart";
    break;
  case BlockState::Parted:
    if (const char* broken = broken_parts(header)) return broken;
    own = own_cells(header);
    break;
  }
  for (u32 i = 0; i < kBlockCells; ++i) {
    if (is_locked(cells[i].W)) return "a cell stays locked";
    const bool should_be_zero = !(own >> i & 1);
    if (should_be_zero && !asks_header(cells[i])) return "a cell of a coarse block has a state of its own";
    if (!should_be_zero && asks_header(cells[i])) return "a cell of a fine block has none";
  }
  return nullptr;
}

} // namespace footrace
