#include "check/ranges.h"

#include "check/bytes.h"

#include <emmintrin.h>

namespace footrace::fasttrack {

namespace {

constexpr u64 kTogether = 4; // cells: a line of the cache

// Four cells hold one word, and that is `word` (W or R, in both halves).
FR_INLINE bool all_hold(const u64* cells, __m128i word, int lanes) {
  const __m128i* c = reinterpret_cast<const __m128i*>(cells);
  const auto same = [&](int i) { return _mm_cmpeq_epi32(_mm_load_si128(c + i), word); };
  const __m128i all = _mm_and_si128(_mm_and_si128(same(0), same(1)), _mm_and_si128(same(2), same(3)));
  return (_mm_movemask_epi8(all) & lanes) == lanes;
}

FR_INLINE bool is_seen_half(ThreadState& t, Word r, u32 w, bool write) {
  if (r == Word(t.epoch)) return !write || w == r.raw;
  return r.is_bytes() ? has_seen_bytes(t, r, 0xf, write) : !write && r.is_set() && knows_readers(t, r);
}
// One of the halves has bytes with different pasts.
bool is_seen_by_halves(ThreadState& t, Unit<u64> cell, u64 r, bool write) {
  const u64 w = load_word(cell.W);
  return is_seen_half(t, low_word(r), u32(w), write) && is_seen_half(t, high_word(r), u32(w >> 32), write);
}

} // namespace

uptr first_unseen_cell(ThreadState& t, uptr from, uptr end, bool write) {
  const int lanes = write ? 0xffff : 0xff00; // W without R may be of a step whose swap has failed
  u64 seen = t.both; // neighbours that were read by the same threads mostly name the same set
  while (from < end) {
    const Unit<u64> cell = cell_unit(from);
    if (end - from >= kTogether * 8 && all_hold(cell.W, _mm_set1_epi32(int(u32(seen))), lanes)) {
      from += kTogether * 8;
      continue;
    }
    const u64 word = load_word(cell.R);
    if (write ? word != t.both || load_word(cell.W) != word : word != seen && word != t.both) {
      if (!word && block_seen(t, from, write ? AccessKind::Write : AccessKind::Read, end - from)) {
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

// Cells in a row that all hold one R, which is ordered before the thread: neighbours mostly do. Returns the end of the row.
template <bool write> FR_INLINE uptr exclusive_cells(ThreadState& t, uptr from, uptr end, u64 r) {
  const u64 mine = t.both;
  for (; from < end; from += 8) {
    const Unit<u64> cell = cell_unit(from);
    if (load_word(cell.R) != r) break;
    if (write) store_word(cell.W, mine);
    if (FR_UNLIKELY(!swap_word(cell.R, r, mine))) break;
  }
  return from;
}

template <bool write> uptr access_cells(ThreadState& t, uptr from, uptr end, Found& found) {
  constexpr AccessKind kind = write ? AccessKind::Write : AccessKind::Read;
  u32 quick = 0;
  while (from < end && !found.count) {
    if (!(from % kBlockBytes) && end - from >= kBlockBytes && step_on_block(t, from, kind, found)) {
      from += kBlockBytes;
      continue;
    }
    const uptr stop = min(end, block_address(from) + kBlockBytes);
    while ((from = first_unseen_cell(t, from, stop, write)) < stop && !found.count) {
      const Unit<u64> cell = cell_unit(from);
      const u64 r = load_word(cell.R);
      const uptr done = is_exclusive(t, r) ? exclusive_cells<write>(t, from, stop, r) : from;
      quick += u32((done - from) / 8);
      if (done == from) {
        step(t, cell, kind, found);
        from += 8;
      } else {
        from = done;
      }
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
