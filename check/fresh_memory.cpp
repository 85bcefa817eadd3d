#include "check/fresh_memory.h"

#include "check/arrays.h"
#include "check/bytes.h"
#include "check/four_cells.h"
#include "check/touched_pages.h"

namespace footrace::fasttrack {

namespace {

template <class U> void forget_unit(ThreadState& t, Unit<U> unit) {
  for (u32 spins = 0;;) {
    const U r = load_word(unit.R);
    if (has_equal_halves(r) && low_word(r).asks_header()) return;
    if constexpr (Unit<U>::kIsCell)
      if (!has_equal_halves(r)) {
        forget_unit(t, granule_unit(unit.address));
        forget_unit(t, granule_unit(unit.address + kGranule));
        return;
      }
    const Word R = low_word(r);
    if (R.is_locked()) {
      pause_for(spins);
      continue;
    }
    store_word(unit.W, U(0));
    if (swap_word(unit.R, r, U(0))) return;
  }
}

void forget_cells(ThreadState& t, uptr from, uptr to) {
  for (; from < to; from += 8) forget_unit(t, cell_unit(from));
}

// Less than a block, inside one.
void forget_part(ThreadState& t, uptr address, uptr end) {
  if (address >= end || load_word(header_of(address)) == kVirginBlock) return;
  refine(t, block_address(address));
  while (address < end) {
    if (!(address & 7) && end - address >= 8) {
      const uptr to = round_down(end, 8);
      forget_cells(t, address, to);
      address = to;
    } else if (!(address & 3) && end - address >= 4) {
      forget_unit(t, granule_unit(address));
      address += 4;
    } else {
      const uptr to = min(round_down(address, kGranule) + kGranule, end);
      forget_bytes(t, round_down(address, kGranule), ((1u << (to - address)) - 1) << (address & 3));
      address = to;
    }
  }
}

void clear_cells(uptr block) {
  if (low_word(load_word(cell_unit(block).R)).is_none()) return; // so are all others
  for (uptr at = block; at < block + kBlockBytes; at += 8) {
    store_word(cell_unit(at).W, u64(0));
    store_word(cell_unit(at).R, u64(0));
  }
}

void forget_block(ThreadState& t, uptr block) {
  u64* header = header_of(block);
  for (u32 spins = 0;;) {
    const u64 h = load_word(header);
    if (h == kVirginBlock) return;
    if (h == kLockedBlock) {
      pause_for(spins);
      continue;
    }
    if (is_fine(h)) {
      forget_cells(t, block, block + kBlockBytes);
      if (swap_word(header, h, kVirginBlock)) return;
    } else if (swap_word(header, h, kLockedBlock)) {
      clear_cells(block); // they are zero or ask the header, and nobody else changes such
      store_word(header, kVirginBlock);
      return;
    }
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
                       for (; from < to; from += sizeof(u64))
                         whole(first + (from - headers) / sizeof(u64) * kBlockBytes);
                     });
  part(last, end);
}

// Everything that the words know happens before what the thread does now.
template <class U> FR_INLINE bool is_ordered(const ThreadState& t, U r) {
  return covers(t, low_word(r)) && (sizeof(U) == 4 || covers(t, high_word(r)));
}

// Whole cells of one fine block. Neighbours mostly hold the same: the free of the last life.
bool forget_unordered_cells(ThreadState& t, uptr from, uptr to) {
  bool forgotten = false;
  while (from < to) {
    const Unit<u64> cell = cell_unit(from);
    const u64 r = load_word(cell.R);
    if (is_ordered(t, r)) {
      const uptr first = from;
      while (to - from >= kTogether * 8 && four_cells_hold(cell_unit(from).W, low_word(r), kLanesOfR))
        from += kTogether * 8;
      if (from == first) from += 8;
      continue;
    }
    forget_unit(t, cell);
    forgotten = true;
    from += 8;
  }
  return forgotten;
}

bool forget_unordered_part(ThreadState& t, uptr address, uptr end) {
  if (address >= end) return false;
  const u64 h = load_word(header_of(address));
  if (h == kVirginBlock || (is_coarse(h) && covers(t, Word(u32(h >> 32))))) return false;
  const uptr first = round_up(address, 8), last = round_down(end, 8);
  if (!is_fine(h) || first >= last) {
    forget_part(t, address, end);
    return true;
  }
  forget_part(t, address, first);
  const bool forgotten = forget_unordered_cells(t, first, last);
  forget_part(t, last, end);
  return forgotten || address < first || last < end;
}

bool forget_unordered_block(ThreadState& t, uptr block) {
  const u64 h = load_word(header_of(block));
  if (h == kVirginBlock || (is_coarse(h) && covers(t, Word(u32(h >> 32))))) return false;
  if (is_fine(h)) return forget_unordered_cells(t, block, block + kBlockBytes);
  forget_block(t, block);
  return true;
}

} // namespace

namespace {
// Zero is a valid state.
SpinLock g_nobody_lock;
alignas(ThreadState) char g_nobody[sizeof(ThreadState)];
} // namespace

ThreadState& state_of_nobody() { return *reinterpret_cast<ThreadState*>(g_nobody); }

void forget(ThreadState* t, uptr address, u64 size) {
  if (!t) {
    SpinGuard guard(g_nobody_lock);
    return forget(&state_of_nobody(), address, size);
  }
  for_each_block(
      address, address + size, [t](uptr from, uptr to) { forget_part(*t, from, to); },
      [t](uptr block) { forget_block(*t, block); });
}

bool forget_unordered(ThreadState& t, uptr address, u64 size) {
  if (size < kBlockBytes) { // in one block, or at a border of two
    const uptr end = address + size, border = min(round_up(address, kBlockBytes), end);
    const bool forgotten = forget_unordered_part(t, address, border);
    return forget_unordered_part(t, border, end) || forgotten;
  }
  bool forgotten = false;
  for_each_block(
      address, address + size, [&](uptr from, uptr to) { forgotten |= forget_unordered_part(t, from, to); },
      [&t, &forgotten](uptr block) { forgotten |= forget_unordered_block(t, block); });
  return forgotten;
}

} // namespace footrace::fasttrack
