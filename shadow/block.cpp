#include "shadow/block.h"

#include "shadow/split.h"
#include "shadow/touched_pages.h"

namespace footrace {

bool g_compress_blocks;

namespace {

u32 encoded_site(u64 word, SiteId site) { return (site << 8) | site_tag(epoch_bits(word)); }

// As in cells, a site follows the compare-and-swap that put its epoch there: wait for it.
SiteId site_of(const u32& site_word, u64 word) {
  if (!mask_of(word) || is_set(epoch_bits(word))) return kNoSite;
  for (u32 spins = 0; spins < 2000;) {
    u32 value = __atomic_load_n(&site_word, __ATOMIC_ACQUIRE);
    if (u8(value) == site_tag(epoch_bits(word))) return value >> 8;
    pause_for(spins);
  }
  return kNoSite;
}

void publish_header(BlockHeader* header, u64 w, u64 r) {
  __atomic_store_n(&header->state.R, r, __ATOMIC_RELEASE);
  __atomic_store_n(&header->state.W, w, __ATOMIC_RELEASE);
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
    else if (swap_cell(cell, seen.W, seen.R, kLockedWord, seen.R))
      return seen;
  }
}

} // namespace

void refine(uptr block) {
  BlockHeader* header = header_of(block);
  CoarseState state;
  for (u32 spins = 0;;) {
    state.words = load_words(&header->state);
    BlockState at = state_of(state.words.W);
    if (at == BlockState::Fine) return;
    if (at == BlockState::Coarse && lock_coarse(block, state)) break;
    if (at == BlockState::Locked) pause_for(spins);
  }
  if (!asks_header(state.words) && !stays_fine(header))
    note_use(header->times_refined, u16(header->times_refined + 1));
  // One reference to a set becomes one per cell.
  if (is_set(epoch_bits(state.words.R)))
    for (u32 i = 1; i < kBlockCells; ++i) retain_set(epoch_bits(state.words.R));
  for (u32 i = 0; i < kBlockCells; ++i) materialise(cells_of(block) + i, block + i * 8, state);
  publish_header(header, kFineWord, 0);
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

void compress(uptr block, const Cell (&taken)[kBlockCells], const CoarseState& state) {
  for (u32 i = 0; i < kBlockCells; ++i) {
    drop_words(taken[i].W, taken[i].R);
    dematerialise(cells_of(block) + i);
  }
  publish_coarse(block, state);
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
    } else if (swap_cell(&header->state, words.W, words.R, 0, 0)) {
      forget_use(header);
      return drop_words(words.W, words.R);
    }
  }
}

bool looks_uniform(uptr block) {
  const Cell* cells = cells_of(block);
  Cell first = load_words(cells);
  if (has_tag(first.W) || form_of(first.W)) return false;
  if ((mask_of(first.W) && mask_of(first.W) != kMaskBits) ||
      (mask_of(first.R) && mask_of(first.R) != kMaskBits))
    return false;
  for (u32 i = 1; i < kBlockCells; ++i) {
    Cell words = load_words(cells + i);
    if (words.W != first.W || words.R != first.R) return false;
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

const char* broken_invariant(uptr block) {
  Cell header = header_of(block)->state;
  const Cell* cells = cells_of(block);
  if (is_locked(header.W)) return "a header stays locked";
  bool coarse = state_of(header.W) == BlockState::Coarse;
  auto whole_or_none = [](u64 word) { return mask_of(word) == 0 || mask_of(word) == kMaskBits; };
  if (coarse &&
      (has_groups(header.W) || form_of(header.W) || !whole_or_none(header.W) || !whole_or_none(header.R)))
    return "a coarse state tells bytes of a cell apart";
  for (u32 i = 0; i < kBlockCells; ++i) {
    if (is_locked(cells[i].W)) return "a cell stays locked";
    if (coarse && !asks_header(cells[i])) return "a cell of a coarse block has a state of its own";
    if (!coarse && asks_header(cells[i])) return "a cell of a fine block has none";
  }
  return nullptr;
}

} // namespace footrace
