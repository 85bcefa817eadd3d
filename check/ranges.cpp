#include "check/ranges.h"

#include "check/bytes.h"
#include "check/four_cells.h"

namespace footrace::fasttrack {

namespace {

FR_INLINE bool is_seen_half(ThreadState& t, Word r, Word w, bool write) {
  if (r == Word(t.epoch)) return !write || w == r; // four bytes of one epoch are one word
  return r.is_bytes() ? has_seen_bytes(t, r, w, 0xf, write) : !write && r.is_set() && knows_readers(t, r);
}
// One of the halves has bytes with different pasts.
bool is_seen_by_halves(ThreadState& t, Unit<u64> cell, u64 r, bool write) {
  const u64 w = load_word(cell.W);
  return is_seen_half(t, low_word(r), low_word(w), write) &&
         is_seen_half(t, high_word(r), high_word(w), write);
}

} // namespace

uptr first_unseen_cell(ThreadState& t, uptr from, uptr end, bool write) {
  const int lanes = write ? kLanesOfBoth : kLanesOfR; // W without R may be of a step whose swap has failed
  u64 seen = t.both; // neighbours that were read by the same threads mostly name the same set
  while (from < end) {
    const Unit<u64> cell = cell_unit(from);
    if (end - from >= kTogether * 8 && four_cells_hold(cell.W, low_word(seen), lanes)) {
      from += kTogether * 8;
      continue;
    }
    const u64 word = load_word(cell.R);
    if (write ? word != t.both || load_word(cell.W) != word : word != seen && word != t.both) {
      if (low_word(word).asks_header() &&
          block_seen(t, from, write ? AccessKind::Write : AccessKind::Read, end - from)) {
        from = min(end, block_address(from) + kBlockBytes);
        continue;
      }
      if (low_word(word).is_bytes() || high_word(word).is_bytes()) {
        if (!is_seen_by_halves(t, cell, word, write)) return from;
        from += 8;
        continue;
      }
      const Word set = low_word(word);
      if (write || !has_equal_halves(word) || !set.is_set()) return from;
      if (!knows_readers(t, set)) {
        if (!set_has_mine(t, set, AccessKind::Read)) return from;
        know_readers(t, set);
      }
    }
    seen = word;
    from += 8;
  }
  return end;
}

// Cells in a row that hold the same R, which is ordered before the thread. Ends at one that holds, or got meanwhile, another one.
template <bool write> FR_INLINE static uptr stamp_cells(ThreadState& t, uptr from, uptr end, u64 r) {
  while (from < end && load_word(cell_unit(from).R) == r && exclusive_step<write>(t, cell_unit(from), r))
    from += 8;
  return from;
}

template <bool write> uptr access_cells(ThreadState& t, uptr from, uptr end, Found& found) {
  constexpr AccessKind kind = write ? AccessKind::Write : AccessKind::Read;
  u64 quick = 0;
  while (from < end && !found.count) {
    if (!(from % kBlockBytes) && end - from >= kBlockBytes && step_on_block(t, from, kind, found)) {
      from += kBlockBytes;
      continue;
    }
    const uptr stop = min(end, block_address(from) + kBlockBytes);
    const bool fine = is_fine(load_word(header_of(from))); // then a cell without words was not accessed
    while ((from = first_unseen_cell(t, from, stop, write)) < stop && !found.count) {
      const u64 r = load_word(cell_unit(from).R);
      const uptr first = from;
      if (is_exclusive_of_bytes(t, r) || (!r && fine)) from = stamp_cells<write>(t, from, stop, r);
      quick += (from - first) / 8;
      if (from != first) continue;
      step(t, cell_unit(from), kind, found);
      from += 8;
    }
  }
  t.rule_count[u32(write ? Rule::write_exclusive : Rule::read_exclusive)] += quick;
  return from;
}
template uptr access_cells<false>(ThreadState&, uptr, uptr, Found&);
template uptr access_cells<true>(ThreadState&, uptr, uptr, Found&);

void remember_checked(ThreadState& t, uptr begin, u64 size, u64 stride, u64 count, bool write) {
  t.ranges[range_slot(begin, stride)] = {begin, size, stride, count, t.version, write};
}

} // namespace footrace::fasttrack
