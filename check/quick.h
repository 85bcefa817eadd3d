// Steps that need no call: what most first touches of an epoch come to, made where the program's check arrives. Each does a part of what step(), step_on_bytes()
// and wait_in_granule() do, by the same words in the same order, and leaves everything else to them: it says what it has not done, and nothing of that has
// happened.
// Inside a critical section. The frame that makes the access has its place in the log, or nothing is done (can_log_at_once).
#pragma once

#include "check/bytes.h"
#include "check/readers.h"
#include "check/step.h"

namespace footrace::fasttrack {

template <bool write> constexpr AccessKind kPlain = write ? AccessKind::Write : AccessKind::Read;

// [READ EXCLUSIVE] [WRITE EXCLUSIVE] of a granule or cell.
template <bool write, class U>
FR_INLINE bool quick_step(ThreadState& t, const Frame* top, Unit<U> unit, Site site) {
  const U r = load_word(unit.R);
  if (FR_UNLIKELY(!is_exclusive<U>(t, r) || !can_log_at_once(t, top))) return false;
  log_at_once(t, top, unit.address, sizeof(U), kPlain<write>, site);
  return exclusive_step<write>(t, unit, r);
}

// Whether bytes of the granule may wait (check/waiting_bytes.h) without one of them being checked: a neighbour was, and the lives of the two end together.
FR_INLINE bool was_accessed(ThreadState& t, uptr granule) {
  const Word r(load_word(granule_unit(granule * kGranule).R));
  return r == Word(t.epoch) || (r.is_set() && knows_readers(t, r));
}
FR_INLINE bool has_border(uptr address) {
  constexpr uptr kPage = 4096;
  return address % kPage == 0 || starts_heap_block(address, kGranule);
}
FR_INLINE bool belongs_to_row(ThreadState& t, uptr granule) {
  if (!has_border(granule * kGranule) &&
      (t.waiting.slot[WaitingBytes::slot_of(granule - 1)].granule == granule - 1 ||
       was_accessed(t, granule - 1)))
    return true;
  return !has_border((granule + 1) * kGranule) && was_accessed(t, granule + 1);
}

// Bytes of one granule, not all of it. `row`: they are a part of an access that the log has; else they get an entry here.
template <bool write>
FR_INLINE bool quick_part(ThreadState& t, const Frame* top, uptr a, u64 size, Site site, bool row) {
  const uptr granule = a / kGranule;
  const u32 mask = ((1u << size) - 1) << (a % kGranule);
  const Unit<u32> unit = granule_unit(granule * kGranule);
  const Word r(load_word(unit.R));
  WaitingGranule& g = t.waiting.slot[WaitingBytes::slot_of(granule)];
  if (g.granule != granule) {
    if (r.is_bytes()) return has_seen_bytes(t, r, mask, write);
    if (r == Word(t.epoch) && (!write || load_word(unit.W) == r.raw)) return true;
    if (!write && r.is_set() && knows_readers(t, r)) return true;
    if (g.granule || !belongs_to_row(t, granule) || (!row && !can_log_at_once(t, top))) return false;
    if (!row) log_at_once(t, top, a, size, kPlain<write>, site);
    g = {granule, u8(write ? 0 : mask), u8(write ? mask : 0), 0, 0, row ? 0 : t.log.era, t.log.next - 1};
    t.waiting.used |= 1ull << WaitingBytes::slot_of(granule);
    return true;
  }
  u8& bytes = write ? g.written : g.read;
  if (!(mask & ~u32(write ? g.written : g.read | g.written))) return true;
  if (FR_UNLIKELY(!row && !can_log_at_once(t, top))) return false;
  const bool fills = (bytes | mask) == 0xf && (write || !g.written);
  if (fills && !is_exclusive(t, r.raw)) return false;
  if (!row) log_bytes_at_once(t, top, g, a, size, kPlain<write>, site);
  bytes = u8(bytes | mask);
  if (!fills) return true;
  if (FR_UNLIKELY(!exclusive_step<write>(t, unit, r.raw))) return false;
  g.granule = 0;
  t.waiting.used &= ~(1ull << WaitingBytes::slot_of(granule));
  return true;
}

// One whole unit of a row.
template <bool write, class U> FR_INLINE bool quick_unit(ThreadState& t, Unit<U> unit) {
  const U r = load_word(unit.R);
  if (r == U(t.both) && (!write || load_word(unit.W) == r)) return true;
  if (FR_LIKELY(is_exclusive<U>(t, r))) return exclusive_step<write>(t, unit, r);
  return !write && low_word(r).is_set() && has_equal_halves(r) && knows_readers(t, low_word(r));
}

// Bytes at any address: fields of an object, rows of a few elements, text. The access is in the log. Returns up to where everything is done.
template <bool write> FR_INLINE uptr quick_row(ThreadState& t, const Frame* top, uptr begin, u64 size) {
  const uptr end = begin + size, whole_end = round_down(end, kGranule);
  uptr at = round_up(begin, kGranule);
  if (at > whole_end) return quick_part<write>(t, top, begin, size, 0, true) ? end : begin;
  while (at < whole_end) {
    const bool is_cell = !(at % 8) && whole_end - at >= 8;
    if (!(is_cell ? quick_unit<write>(t, cell_unit(at)) : quick_unit<write>(t, granule_unit(at))))
      return begin % kGranule ? begin : at;
    at += is_cell ? 8 : kGranule;
  }
  // The ends come last: they belong to a row if what is between them is known.
  if (begin % kGranule && !quick_part<write>(t, top, begin, round_up(begin, kGranule) - begin, 0, true))
    return begin;
  if (at < end && !quick_part<write>(t, top, at, end - at, 0, true)) return at;
  return end;
}

// [READ SAME EPOCH] [WRITE SAME EPOCH] of a few granules that all hold one word: rows of a few elements, fields that are accessed together. Also outside of
// a critical section: the words are compared, no more.
FR_INLINE bool has_seen_row(ThreadState& t, uptr a, u64 size, bool write) {
  uptr from = round_down(a, kGranule), end = round_up(a + size, kGranule);
  const u64 where = write ? 0 : 2;
  const u32 first = load_word(granule_of(from) + where);
  if (first != t.epoch.raw && (write || !knows_readers(t, Word(first)))) return false;
  u32 different = 0;
  if (from & 4) from += kGranule;
  if (end & 4 && from < end) {
    end -= kGranule;
    different = first ^ load_word(granule_of(end) + where);
  }
  const u64 both = u64(first) << 32 | first;
  u64 differs = different;
  const u64* word = reinterpret_cast<const u64*>(cell_of(from)) + (write ? 0 : 1);
  for (; from < end; from += 8, word += 2) differs |= both ^ load_word(word);
  return !differs;
}

} // namespace footrace::fasttrack
