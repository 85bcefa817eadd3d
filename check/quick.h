// Steps that need no call: what most first touches of an epoch come to, made where the program's check arrives. Each does a part of what step(), step_on_bytes()
// and wait_in_granule() do, by the same words in the same order, and leaves everything else to them: it says what it has not done, and nothing of that has
// happened.
// Inside a critical section. The frame that makes the access has its place in the log, or nothing is done (can_log_at_once).
#pragma once

#include "check/arrays.h"
#include "check/bytes.h"
#include "check/readers.h"
#include "check/step.h"

namespace footrace::fasttrack {

template <bool write> constexpr AccessKind kPlain = write ? AccessKind::Write : AccessKind::Read;

// [READ SAME EPOCH] of shared data: the thread knows that it is in the set.
template <class U> FR_INLINE bool is_known_shared(ThreadState& t, U r) {
  const Word set = low_word(r);
  if (!has_equal_halves(r) || !set.is_set() || !knows_readers(t, set)) return false;
  know_readers_in_line(t, set);
  return true;
}

// [READ EXCLUSIVE] [WRITE EXCLUSIVE] of a granule or cell.
template <bool write, class U>
FR_INLINE bool quick_step(ThreadState& t, const Frame* top, Unit<U> unit, Site site) {
  const U r = load_word(unit.R);
  if (FR_UNLIKELY(!is_exclusive<U>(t, r) || !can_log_at_once(t, top))) return false;
  log_at_once(t, top, unit.address, sizeof(U), kPlain<write>, site);
  return exclusive_step<write>(t, unit, r);
}

// R may be swapped from zero: the block is fine, or becomes so.
FR_INLINE bool has_fine_block(uptr address) {
  u64* header = header_of(address);
  const u64 h = load_word(header);
  return is_fine(h) || (h == kVirginBlock && swap_word(header, h, kFineBlock));
}

// [READ EXCLUSIVE] [WRITE EXCLUSIVE] of a granule or cell that nobody has accessed since its memory was fresh.
template <bool write, class U> FR_INLINE bool first_step(ThreadState& t, Unit<U> unit) {
  if (!has_fine_block(unit.address)) return false;
  if (write) store_word(unit.W, U(t.both));
  if (!swap_word(unit.R, U(0), U(t.both))) return false;
  t.count(write ? Rule::write_exclusive : Rule::read_exclusive);
  return true;
}
template <bool write, class U>
FR_INLINE bool quick_first(ThreadState& t, const Frame* top, Unit<U> unit, Site site) {
  if (load_word(unit.R) || FR_UNLIKELY(!can_log_at_once(t, top))) return false;
  log_at_once(t, top, unit.address, sizeof(U), kPlain<write>, site);
  return first_step<write>(t, unit);
}

template <class U> FR_INLINE bool has_ordered_writes(ThreadState& t, U w) {
  return covers_writes(t, low_word(w)) && (has_equal_halves(w) || covers_writes(t, high_word(w)));
}

// [READ SHARE] [READ SHARED] [READ EXCLUSIVE] of shared data, where R becomes what it became before by the thread's read in this epoch. R knows of nothing but reads,
// and the write is ordered, so there is nothing to tell. Only, a thread that has read in its epoch and writes leaves R as it was: so where R was an epoch, the
// write is looked at again behind the swap. `row`: the access is in the log already.
template <class U>
FR_INLINE bool quick_common(ThreadState& t, const Frame* top, Unit<U> unit, U r, Site site,
                            bool row = false) {
  const ReadMemo& memo = read_memo_of(t, low_word(r));
  if (memo.before != low_word(r) || memo.epoch != t.epoch || !memo.is_quick || !has_equal_halves(r) ||
      !has_ordered_writes(t, load_word(unit.W)) || (!row && FR_UNLIKELY(!can_log_at_once(t, top))))
    return false;
  if (!row) log_at_once(t, top, unit.address, sizeof(U), AccessKind::Read, site);
  const Word after = memo.after;
  if (!swap_word(unit.R, r, both<U>(after))) return false;
  if (after.is_reference()) know_readers(t, after);
  if (!low_word(r).is_reference() && FR_UNLIKELY(!has_ordered_writes(t, load_word(unit.W))))
    tell_late_write(t, unit.address, sizeof(U), low_word(r));
  return true;
}

// [READ SHARED] by a thread that comes again to a set of its unit's own; the same of atomic reads. Nothing in the set conflicts with the access, and the write
// is ordered, so there is nothing to tell.
template <AccessKind kind, class U>
FR_INLINE bool quick_own(ThreadState& t, const Frame* top, Unit<U> unit, U r, Site site, bool row = false) {
  static_assert(kind == AccessKind::Read || kind == AccessKind::AtomicRead);
  const Word set = low_word(r);
  if (!has_equal_halves(r) || set.is_locked() || !has_ordered_writes(t, load_word(unit.W))) return false;
  ReaderSet& readers = set_of(set);
  u64* mine = nullptr;
  SetEntry there;
  bool is_seen = false, is_superseded = kind == AccessKind::Read;
  for (u32 i = 0; i < readers.capacity; ++i) {
    const SetEntry e = load_entry(readers, i);
    if (!e) break;
    if (may_conflict(kind, e.kind())) return false; // also one that is ordered: it may move on meanwhile
    is_superseded &= covers(t, e.epoch()) && stands_for(kind, e.kind());
    if (tid_of(e.epoch()) != t.tid()) continue;
    is_seen |= e.epoch() == t.epoch && stands_for(e.kind(), kind);
    if (e.kind() == kind) mine = &readers.entry[i], there = e;
  }
  if (is_seen) {
    if (kind == AccessKind::Read) know_readers(t, set);
    return true;
  }
  if (is_superseded || !mine || set.kind() != own_set<U>() || (!row && !can_log_at_once(t, top)))
    return false;
  if (!row) log_at_once(t, top, unit.address, sizeof(U), kind, site);
  if (!swap_word(mine, there.raw, SetEntry(t.epoch, kind).raw)) return false;
  t.count(Transition::set_moved);
  if (kind == AccessKind::Read) know_readers(t, set);
  if (load_word(unit.R) != r) return false; // behind the swap, a full fence (readers.h)
  t.count(rule_in_place(kind));
  return true;
}

template <AccessKind kind, class U>
FR_INLINE bool quick_shared(ThreadState& t, const Frame* top, Unit<U> unit, Site site, bool row = false) {
  const U r = load_word(unit.R);
  if (kind == AccessKind::Read && quick_common(t, top, unit, r, site, row)) return true;
  return low_word(r).is_set() && quick_own<kind>(t, top, unit, r, site, row);
}

// An atomic write by a thread that comes again to a set of its unit's own, where it meets only atomic accesses. A reader may enter while the thread's entry moves
// on: so the entries are looked at once more behind the swap, and who has entered is told. False also if R is another one by now: the general step looks again.
template <class U>
FR_INLINE bool quick_atomic_write(ThreadState& t, const Frame* top, Unit<U> unit, Site site, Found& found) {
  constexpr AccessKind kind = AccessKind::AtomicWrite;
  const U r = load_word(unit.R);
  const Word set = low_word(r);
  if (!has_equal_halves(r) || !set.is_set() || set.is_locked() || set.kind() != own_set<U>()) return false;
  if (!has_ordered_writes(t, load_word(unit.W))) return false;
  ReaderSet& readers = set_of(set);
  u64* mine = nullptr;
  SetEntry there;
  bool meets_reader = false;
  for (u32 i = 0; i < readers.capacity; ++i) {
    const SetEntry e = load_entry(readers, i);
    if (!e) break;
    meets_reader |= may_conflict(kind, e.kind());
    if (tid_of(e.epoch()) == t.tid() && e.kind() == kind) mine = &readers.entry[i], there = e;
  }
  if (!mine || meets_reader) return false;
  if (there.epoch() == t.epoch) return true;
  if (!can_log_at_once(t, top)) return false;
  log_at_once(t, top, unit.address, sizeof(U), kind, site);
  if (!swap_word(mine, there.raw, SetEntry(t.epoch, kind).raw)) return false;
  t.count(Transition::set_moved);
  t.count(rule_in_place(kind));
  for (u32 i = 0; i < readers.capacity; ++i) {
    const SetEntry e = load_entry(readers, i);
    if (!e) break;
    meets_reader |= may_conflict(kind, e.kind());
  }
  if (FR_UNLIKELY(meets_reader)) tell_conflicts(t, {kNoEpoch, set}, kind, {unit.address, sizeof(U)}, found);
  return load_word(unit.R) == r; // behind the swap, a full fence (readers.h)
}

// Whether bytes of the granule may wait (check/waiting_bytes.h) without one of them being checked: a neighbour was, and the lives of the two end together.
template <bool write> FR_INLINE bool was_accessed(ThreadState& t, uptr granule) {
  const Unit<u32> unit = granule_unit(granule * kGranule);
  const Word r(load_word(unit.R));
  if (r == Word(t.epoch)) return !write || load_word(unit.W) == r.raw;
  return !write && r.is_set() && knows_readers(t, r);
}
FR_INLINE bool has_border(uptr address) {
  constexpr uptr kPage = 4096;
  return address % kPage == 0 || starts_heap_block(address, kGranule);
}
// Bytes that have different pasts already do not wait: they would not wait long enough to be worth it.
template <bool write> FR_INLINE bool belongs_to_row(ThreadState& t, uptr granule) {
  const Unit<u32> unit = granule_unit(granule * kGranule);
  if (Word(load_word(unit.R)).is_bytes() || (write && Word(load_word(unit.W)).is_bytes())) return false;
  if (!has_border(granule * kGranule) &&
      (t.waiting.slot[WaitingBytes::slot_of(granule - 1)].granule == granule - 1 ||
       was_accessed<write>(t, granule - 1)))
    return true;
  return !has_border((granule + 1) * kGranule) && was_accessed<write>(t, granule + 1);
}

// Whether the bytes of the granule can be accessed by one swap of R:
// it is an epoch, words of bytes, or nobody has accessed them.
FR_INLINE bool may_step_on_bytes(const Unit<u32>& unit, Word r) {
  return !r.is_locked() && !r.is_set() && (!r.asks_header() || (r.is_none() && has_fine_block(unit.address)));
}
// [READ EXCLUSIVE] [WRITE EXCLUSIVE] of bytes, and [READ SHARED] of one byte in its own set.
template <bool write>
FR_INLINE bool quick_bytes(ThreadState& t, const Frame* top, const Unit<u32>& unit, Word r, u32 mask, uptr a,
                           u64 size, Site site, bool row) {
  if ((!row && !can_log_at_once(t, top)) || !may_step_on_bytes(unit, r)) return false;
  if (const BytesMemo& mine = with_mine(t, r, mask); mine.is_ordered) {
    if (!row) log_at_once(t, top, a, size, kPlain<write>, site);
    return exclusive_step_on_bytes<write>(t, unit, r, mine.after, mask);
  }
  if (write || !has_one_bit(mask) || !r.is_bytes()) return false;
  const u32 byte = u32(__builtin_ctz(mask));
  const Word set = word_of_byte(r, byte);
  if (!set.is_set() || set.kind() != Reference::ByteSet) return false;
  if (!row) log_at_once(t, top, a, size, kPlain<write>, site);
  return read_byte_set(t, unit, r, byte);
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
    if (!write && r == Word(t.epoch)) return true;
    if (r.is_set() ? !write && knows_readers(t, r)
                   : has_seen_bytes(t, r, Word(write ? load_word(unit.W) : 0), mask, write))
      return true;
    if (!belongs_to_row<write>(t, granule))
      return quick_bytes<write>(t, top, unit, r, mask, a, size, site, row);
    if (g.granule || (!row && !can_log_at_once(t, top))) return false;
    if (!row) log_at_once(t, top, a, size, kPlain<write>, site);
    g = {granule, u8(write ? 0 : mask), u8(write ? mask : 0), row ? 0 : t.log.era, t.log.next - 1};
    t.waiting.used |= 1ull << WaitingBytes::slot_of(granule);
    return true;
  }
  u8& bytes = write ? g.written : g.read;
  if (!(mask & ~u32(write ? g.written : g.read | g.written))) return true;
  if (FR_UNLIKELY(!row && !can_log_at_once(t, top))) return false;
  const bool fills = (bytes | mask) == 0xf && (write || !g.written);
  if (fills && !r.is_none() && !is_exclusive(t, r.raw)) return false;
  if (!row) log_bytes_at_once(t, top, g, a, size, kPlain<write>, site);
  bytes = u8(bytes | mask);
  if (!fills) return true;
  if (FR_UNLIKELY(!(r.is_none() ? first_step<write>(t, unit) : exclusive_step<write>(t, unit, r.raw))))
    return false;
  g.granule = 0;
  t.waiting.used &= ~(1ull << WaitingBytes::slot_of(granule));
  return true;
}

// What an entry point does of a check of a few bytes when its first look was not enough. False: the general step has to.
template <bool write> FR_INLINE bool quick_access(ThreadState& t, Frame* top, uptr a, u64 size, Site site) {
  if (FR_UNLIKELY(!has_place(t, top))) return false;
  if (size == 8 && !(a % 8))
    return quick_step<write>(t, top, cell_unit(a), site) || quick_first<write>(t, top, cell_unit(a), site) ||
           (!write && quick_shared<AccessKind::Read>(t, top, cell_unit(a), site));
  if (size == 4 && !(a % 4))
    return quick_step<write>(t, top, granule_unit(a), site) ||
           quick_first<write>(t, top, granule_unit(a), site) ||
           (!write && quick_shared<AccessKind::Read>(t, top, granule_unit(a), site));
  return a % kGranule + size <= kGranule && quick_part<write>(t, top, a, size, site, false);
}

// The same of an atomic read.
FR_INLINE bool quick_atomic_read(ThreadState& t, Frame* top, uptr a, u64 size, Site site) {
  if (a % size || (size != 4 && size != 8) || !has_place(t, top)) return false;
  return size == 8 ? quick_shared<AccessKind::AtomicRead>(t, top, cell_unit(a), site)
                   : quick_shared<AccessKind::AtomicRead>(t, top, granule_unit(a), site);
}

// And of an atomic write.
FR_INLINE bool quick_atomic_write(ThreadState& t, Frame* top, uptr a, u64 size, Site site, Found& found) {
  if (a % size || (size != 4 && size != 8) || !has_place(t, top)) return false;
  return size == 8 ? quick_atomic_write(t, top, cell_unit(a), site, found)
                   : quick_atomic_write(t, top, granule_unit(a), site, found);
}

template <class U> FR_NOINLINE bool quick_shared_of_row(ThreadState& t, const Frame* top, Unit<U> unit) {
  return quick_shared<AccessKind::Read>(t, top, unit, 0, true);
}

// One whole unit of a row, which the log has.
template <bool write, class U> FR_INLINE bool quick_unit(ThreadState& t, const Frame* top, Unit<U> unit) {
  const U r = load_word(unit.R);
  if (r == U(t.both) && (!write || load_word(unit.W) == r)) return true;
  if (FR_LIKELY(is_exclusive<U>(t, r))) return exclusive_step<write>(t, unit, r);
  if (!r) return first_step<write>(t, unit);
  if (!write && is_known_shared(t, r)) return true;
  if (!write && !low_word(r).is_bytes() && quick_shared_of_row(t, top, unit)) return true;
  if (is_exclusive_of_bytes(t, r)) return exclusive_step<write>(t, unit, r);
  const Word bytes = low_word(r);
  return !Unit<U>::kIsCell && bytes.is_bytes() &&
         has_seen_bytes(t, bytes, low_word(write ? load_word(unit.W) : U(0)), 0xf, write);
}
// The same of a cell whose halves have different pasts.
template <bool write> FR_NOINLINE bool quick_halves(ThreadState& t, const Frame* top, uptr cell) {
  return !has_equal_halves(load_word(cell_unit(cell).R)) && quick_unit<write>(t, top, granule_unit(cell)) &&
         quick_unit<write>(t, top, granule_unit(cell + kGranule));
}

// Bytes at any address: fields of an object, rows of a few elements, text. The access is in the log. Returns up to where everything is done.
template <bool write> FR_INLINE uptr quick_row(ThreadState& t, const Frame* top, uptr begin, u64 size) {
  const uptr end = begin + size, whole_end = round_down(end, kGranule);
  uptr at = round_up(begin, kGranule);
  if (at > whole_end) return quick_part<write>(t, top, begin, size, 0, true) ? end : begin;
  while (at < whole_end) {
    const bool is_cell = !(at % 8) && whole_end - at >= 8;
    if (!(is_cell ? quick_unit<write>(t, top, cell_unit(at)) || quick_halves<write>(t, top, at)
                  : quick_unit<write>(t, top, granule_unit(at))))
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

// The same of a few elements, each a granule or a cell, at equal distances: fields in a row of structs.
template <class U> FR_INLINE bool has_seen_units(ThreadState& t, uptr a, u64 stride, u64 count, bool write) {
  U last = U(t.both); // neighbours mostly hold the same
  for (; count; --count, a += stride) {
    const Unit<U> unit = [a] {
      if constexpr (sizeof(U) == 8)
        return cell_unit(a);
      else
        return granule_unit(a);
    }();
    const U word = load_word(write ? unit.W : unit.R);
    if (FR_LIKELY(word == last)) continue;
    if (write || !has_equal_halves(word) || !knows_readers(t, low_word(word))) return false;
    last = word;
  }
  return true;
}
FR_INLINE bool has_seen_elements(ThreadState& t, uptr a, u64 size, u64 stride, u64 count, bool write) {
  if (size == 8 && !((a | stride) % 8)) return has_seen_units<u64>(t, a, stride, count, write);
  if (size == 4 && !((a | stride) % 4)) return has_seen_units<u32>(t, a, stride, count, write);
  return false;
}

} // namespace footrace::fasttrack
