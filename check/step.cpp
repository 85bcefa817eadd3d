// Concurrency of a step, argued in docs/shadow.md and explored by tests/model. R decides: it is loaded, judged, and swapped for what follows; if it has changed
// meanwhile, the step looks again.
//   write   stores W before it swaps R. Whoever judges by R alone comes after both (rules.h); a writer whose swap fails looks again, and judges
//           what has come instead; so W may for a moment name a write that is not done, which can only tell a race that is one.
//   who is judged by W, and not a writer, looks at W again behind its swap.
//   a write over a set swaps R first and looks at the entries afterwards; a reader that moves on in a set swaps its entry first and looks at R
//           afterwards. One of them sees the other. Who puts another set in the place of one in which threads move on locks R for the while.
#include "check/step.h"

#include "check/arrays.h"
#include "check/bytes.h"

namespace footrace::fasttrack {

namespace {

template <class U> Stretch bytes_of(const Unit<U>& unit) { return {unit.address, Unit<U>::kBytes}; }

// Of one granule, or of a cell whose halves know the same.
bool tell_alike(ThreadState& t, Word w, Word r, AccessKind kind, Stretch bytes, Found& found) {
  if (!w.is_bytes()) return tell_conflicts(t, {w.epoch(), r}, kind, bytes, found);
  bool told = false;
  for (u32 i = 0; i < bytes.size; ++i)
    told |=
        tell_conflicts(t, {word_of_byte(w, i % kGranule).epoch(), r}, kind, {bytes.address + i, 1}, found);
  return told;
}
template <class U>
bool tell_both(ThreadState& t, U w, Word r, AccessKind kind, const Unit<U>& unit, Found& found) {
  if (has_equal_halves(w)) return tell_alike(t, low_word(w), r, kind, bytes_of(unit), found);
  const bool low = tell_alike(t, low_word(w), r, kind, {unit.address, kGranule}, found);
  return tell_alike(t, high_word(w), r, kind, {unit.address + kGranule, kGranule}, found) || low;
}

// Everything that the set and W know is ordered before the thread, and its read stands for all of it: the set is not needed any more.
template <class U> bool is_superseded_by_read(const ThreadState& t, U w, Word set) {
  if (!covers_writes(t, low_word(w)) || (Unit<U>::kIsCell && !covers_writes(t, high_word(w)))) return false;
  return read_stands_for_set(t, set);
}

// R is the write of some bytes, and of the others it is an access of its own. A set could not say so.
bool mirrors_some_writes(Word w, Word r) {
  if (!w.is_bytes()) return false;
  const FourWords words = four_words_of(w);
  return words.of(0) == r || words.of(1) == r || words.of(2) == r || words.of(3) == r;
}

// An own set is left, other than by a write, with R locked: whoever moves on in it meanwhile finds another R, and looks again. So what
// `make` sees is all that threads are content with. It makes the new R; none: the old one stays. False: look again.
template <class U, class Make> bool leave_set(Unit<U> unit, U r, Make make) {
  const Word set = low_word(r);
  if (set.kind() == Reference::CommonSet) return swap_word(unit.R, r, both<U>(make()));
  if (!swap_word(unit.R, r, both<U>(set.locked()))) return false;
  const Word after = make();
  store_word(unit.R, after.is_none() ? r : both<U>(after));
  return !after.is_none();
}

// R is a set, the same in both halves. False: look again.
template <class U> bool step_on_set(ThreadState& t, Unit<U> unit, U r, AccessKind kind, Found& found) {
  const Word set = low_word(r);
  const U w = load_word(unit.W), mine = U(t.both);
  if (kind == AccessKind::Write) {
    store_word(unit.W, mine);
    if (!swap_word(unit.R, r, mine)) return false;
    // Who moved on before the swap is in the set now.
    tell_both(t, w, set, kind, unit, found);
    exclusive_after(t, {kNoEpoch, set}, kind);
    return true;
  }
  if (set_has_mine(t, set, kind)) {
    if (kind == AccessKind::Read) know_readers(t, set);
    return true;
  }
  const auto read_exclusive = [&] { return is_superseded_by_read(t, w, set) ? Word(t.epoch) : Word(); };
  const auto read_shared = [&] { return shared_after(t, {kNoEpoch, set}, kind, own_set<U>()); };
  if (kind == AccessKind::Read && is_superseded_by_read(t, w, set)) {
    if (!leave_set(unit, r, read_exclusive)) return false;
    if (set.kind() == Reference::CommonSet && has_only_reads(set))
      read_memo_of(t, set) = {set, t.epoch, t.epoch, true};
    t.count(Rule::read_exclusive);
    return true;
  }
  if (set.kind() == own_set<U>() && move_on_in_place(t, set, kind) == Moved::Done) {
    t.count(rule_in_place(kind));
    // Told even if R is another one by now: the entry is in the set, and so in a copy of it, where it stands for an access that was judged.
    tell_both(t, w, set, kind, unit, found);
    if (load_word(unit.R) != r) return false; // behind the swap of the entry, which is a full fence
  } else {
    if (!leave_set(unit, r, read_shared)) return false;
    tell_both(t, w, set, kind, unit, found);
  }
  const U now = load_word(unit.R);
  if (kind == AccessKind::Read && low_word(now).is_set() && set_has_mine(t, low_word(now), kind))
    know_readers(t, low_word(now));
  return true;
}

// R is an epoch that is not ordered before the thread, or the access is atomic. False: look again.
template <class U> bool step_on_epoch(ThreadState& t, Unit<U> unit, U r, AccessKind kind, Found& found) {
  U w = load_word(unit.W);
  if (Unit<U>::kIsCell && !has_equal_halves(w) && kind != AccessKind::Write) {
    // One half may mirror its write while the other was read: they go apart.
    step(t, granule_unit(unit.address), kind, found);
    step(t, granule_unit(unit.address + kGranule), kind, found);
    return true;
  }
  if (kind != AccessKind::Write && mirrors_some_writes(low_word(w), low_word(r))) {
    for (u32 at = 0; at < Unit<U>::kBytes; at += kGranule)
      step_on_bytes(t, unit.address + at, 0xf, kind, found);
    return true;
  }
  // Four bytes that were written at different times: R is none of these writes, or this is a write.
  const Past past = {low_word(w).is_bytes() ? kNoEpoch : low_word(w).epoch(), low_word(r)};
  Word after = exclusive_after(t, past, kind);
  if (after.is_none()) after = shared_after(t, past, kind, own_set<U>());
  if (kind == AccessKind::Write) store_word(unit.W, U(t.both));
  if (!swap_word(unit.R, r, both<U>(after))) return false;
  // R is the same before and after its thread writes what it has read, so W of before the swap may be too old.
  if (kind != AccessKind::Write) w = load_word(unit.W);
  tell_both(t, w, low_word(r), kind, unit, found);
  if (kind == AccessKind::Read) know_readers(t, after); // a set, for R was not ordered
  return true;
}

// Nothing is known of the unit itself. False: look again; true: `r` may be swapped, or the access was seen.
template <class U> bool step_on_nothing(ThreadState& t, Unit<U> unit, U r, AccessKind kind) {
  switch (ask_header(t, unit.address, kind)) {
  case Asked::Seen:
    return true;
  case Asked::LookAgain:
    return false;
  case Asked::Empty:
    break;
  }
  if (r) return false; // the header has given its words back since
  if (is_atomic(kind)) return swap_word(unit.R, U(0), both<U>(shared_after(t, {}, kind, own_set<U>())));
  if (kind == AccessKind::Write) store_word(unit.W, U(t.both));
  if (!swap_word(unit.R, U(0), U(t.both))) return false;
  t.count(kind == AccessKind::Write ? Rule::write_exclusive : Rule::read_exclusive);
  return true;
}

} // namespace

template <class U> void step(ThreadState& t, Unit<U> unit, AccessKind kind, Found& found) {
  const U mine = U(t.both);
  for (u32 spins = 0;;) {
    const U r = load_word(unit.R);
    if (!is_atomic(kind) && r == mine && (kind == AccessKind::Read || load_word(unit.W) == mine)) return;
    const bool is_ordered = !is_atomic(kind) && is_exclusive_of_bytes(t, r);
    if constexpr (Unit<U>::kIsCell)
      if (!is_ordered && !has_equal_halves(r)) {
        step(t, granule_unit(unit.address), kind, found);
        step(t, granule_unit(unit.address + kGranule), kind, found);
        return;
      }
    const Word R = low_word(r);
    bool done = false;
    if (is_ordered) {
      t.count(kind == AccessKind::Write ? Rule::write_exclusive : Rule::read_exclusive);
      done = kind == AccessKind::Write ? exclusive_step<true>(t, unit, r) : exclusive_step<false>(t, unit, r);
    } else if (R.asks_header()) {
      done = step_on_nothing(t, unit, r, kind);
    } else if (R.is_set() && R.is_locked()) {
      pause_for(spins);
    } else if (R.is_set()) {
      done = step_on_set(t, unit, r, kind, found);
    } else if (R.is_bytes()) {
      for (u32 at = 0; at < Unit<U>::kBytes; at += kGranule)
        step_on_bytes(t, unit.address + at, 0xf, kind, found);
      return;
    } else {
      done = step_on_epoch(t, unit, r, kind, found);
    }
    if (done) return;
  }
}
template void step<u32>(ThreadState&, Unit<u32>, AccessKind, Found&);
template void step<u64>(ThreadState&, Unit<u64>, AccessKind, Found&);

void tell_write(ThreadState& t, uptr address, u32 size, Word before, Found& found) {
  if (size == 8)
    tell_both(t, load_word(cell_unit(address).W), before, AccessKind::Read, cell_unit(address), found);
  else
    tell_both(t, load_word(granule_unit(address).W), before, AccessKind::Read, granule_unit(address), found);
}

FR_KEEPS_REGISTERS void tell_late_write(ThreadState& t, uptr address, u32 size, Word before) {
  t.tell_late_write(t, address, size, before);
}

bool seen_in_this_epoch(ThreadState& t, uptr address, u64 size, bool write) {
  const uptr end = address + size;
  Word last = t.epoch; // neighbours mostly hold the same
  for (uptr at = round_down(address, kGranule); at < end; at += kGranule) {
    const Unit<u32> unit = granule_unit(at);
    const Word word(load_word(unit.R));
    const Word w(write ? load_word(unit.W) : 0);
    if (word == last && (!write || w == word)) continue;
    if (word.asks_header() && block_seen(t, at, write ? AccessKind::Write : AccessKind::Read, size)) continue;
    if (word.is_bytes() || w.is_bytes()) {
      const u32 first = at < address ? address - at : 0, last = min<uptr>(end - at, kGranule);
      if (!has_seen_bytes(t, word, w, (1u << last) - (1u << first), write)) return false;
      continue;
    }
    if (write || !word.is_set()) return false;
    if (!knows_readers(t, word)) {
      if (!set_has_mine(t, word, AccessKind::Read)) return false;
      know_readers(t, word);
    }
    last = word;
  }
  return true;
}

u64 access(ThreadState& t, uptr address, u64 size, AccessKind kind, ConflictSink sink, void* context,
           bool stop_at_conflict) {
  Found found(t, sink, context);
  const uptr end = address + size;
  uptr at = address;
  while (at < end && !(stop_at_conflict && found.count)) {
    if (!(at % kBlockBytes) && end - at >= kBlockBytes && !is_atomic(kind) &&
        step_on_block(t, at, kind, found)) {
      at += kBlockBytes;
    } else if (!(at & 7) && end - at >= 8) {
      step(t, cell_unit(at), kind, found);
      at += 8;
    } else if (!(at & 3) && end - at >= 4) {
      step(t, granule_unit(at), kind, found);
      at += 4;
    } else {
      const uptr to = min(round_down(at, kGranule) + kGranule, end);
      const u32 mask = ((1u << (to - at)) - 1) << (at & 3);
      step_on_bytes(t, round_down(at, kGranule), mask, kind, found);
      at = to;
    }
  }
  return at - address;
}

} // namespace footrace::fasttrack
