#include "check/bytes.h"

#include "check/arrays.h"
#include "check/step.h"
#include "check/sweep.h"

namespace footrace::fasttrack {

namespace {

// Threads that go through one table, each byte by byte, would make the same four words again and again.
// Concurrency: an entry is one word, a hash and an index, stored when the four are complete. What is found is compared.
constexpr u32 kPlaces = 4096;
u64 g_four_words[kPlaces];

u64 hash_of(const FourWords& words) {
  const u64 hash = (words.pair[0] * 0x9e37'79b9'7f4a'7c15 ^ words.pair[1]) * 0xff51'afd7'ed55'8ccd;
  return hash ^ hash >> 32;
}

Word new_four_words(ThreadState& t, const FourWords& words) {
  if (FR_UNLIKELY(t.bytes.next == t.bytes.end)) t.bytes = take_four_words();
  const Word made(Reference::Bytes, t.bytes.next++);
  four_words_of(made) = words;
  t.count(Transition::bytes_made);
  return made;
}

// Of bytes with a set of their own nobody else has these.
bool may_be_common(const FourWords& words) {
  if (FR_LIKELY(!words.has_references())) return true;
  for (u32 i = 0; i < 4; ++i)
    if (words.of(i).is_set() && words.of(i).kind() != Reference::CommonSet) return false;
  return true;
}

FourWords four_of(Word w) { return w.is_bytes() ? four_words_of(w) : FourWords::all(w); }

// What the access made of the byte before: bytes with equal pasts get the same set, so that they can go together again.
struct LastByte {
  Past past;
  Word after;
};

// [READ SHARED] of a byte that has a set of its own, where only reads are: the thread's entry moves on. R of the granule is locked, so nobody else changes the set.
bool move_on_in_byte_set(ThreadState& t, Word W, Word R) {
  if (!R.is_set() || R.kind() != Reference::ByteSet || !covers(t, W) || read_stands_for_set(t, R))
    return false;
  ReaderSet& readers = set_of(R);
  u64* mine = nullptr;
  for (u32 i = 0; i < readers.capacity; ++i) {
    const SetEntry e = load_entry(readers, i);
    if (!e) break;
    if (e.kind() != AccessKind::Read) return false;
    if (tid_of(e.epoch()) == t.tid()) mine = &readers.entry[i];
  }
  if (!mine) return false;
  store_word(mine, SetEntry(t.epoch, AccessKind::Read).raw);
  know_readers(t, R);
  t.count(Rule::read_shared);
  t.count(Transition::set_moved);
  return true;
}

// The same of an atomic access: its entry moves on, and whoever is in the set is told behind it.
bool move_on_among_atomics(ThreadState& t, const Past& past, AccessKind kind, uptr address, Found& found) {
  if (!past.R.is_set() || past.R.kind() != Reference::ByteSet) return false;
  ReaderSet& accesses = set_of(past.R);
  for (u32 i = 0; i < accesses.capacity; ++i) {
    const SetEntry e = load_entry(accesses, i);
    if (!e) break;
    if (tid_of(e.epoch()) != t.tid() || e.kind() != kind) continue;
    store_word(&accesses.entry[i], SetEntry(t.epoch, kind).raw);
    tell_conflicts(t, past, kind, {address, 1}, found);
    t.count(rule_in_place(kind));
    t.count(Transition::set_moved);
    return true;
  }
  return false;
}

// The same rules as for a granule, with nobody else about.
void step_on_byte(ThreadState& t, Word& W, Word& R, AccessKind kind, uptr address, LastByte& last,
                  Reference own, Found& found) {
  const Past past = {W.epoch(), R};
  if (is_same_epoch(t, past, kind)) return;
  if (kind == AccessKind::Read && move_on_in_byte_set(t, W, R)) return;
  if (is_atomic(kind) && move_on_among_atomics(t, past, kind, address, found)) return;
  if (last.after.is_none() || last.past.W != past.W || last.past.R != past.R) {
    last = {past, exclusive_after(t, past, kind)};
    if (kind == AccessKind::Read && R.is_set() && covers(t, W) && read_stands_for_set(t, R)) {
      last.after = t.epoch;
      t.count(Rule::read_exclusive);
    }
    if (last.after.is_none()) last.after = shared_after(t, past, kind, own);
  }
  if (kind == AccessKind::Write) W = t.epoch;
  R = last.after;
  if (kind == AccessKind::Read && R.is_set()) know_readers(t, R);
  tell_conflicts(t, past, kind, {address, 1}, found);
}

bool is_same_epoch_of_bytes(ThreadState& t, Word w, Word r, u32 mask, AccessKind kind) {
  for (u32 i = 0; i < 4; ++i)
    if (mask >> i & 1 && !is_same_epoch(t, {word_of_byte(w, i).epoch(), word_of_byte(r, i)}, kind))
      return false;
  return true;
}

// R, which was `r`, is locked. W is read only now: a thread that read the granule before in its epoch may have written it meanwhile, which leaves R as it
// was.
void step_on_locked(ThreadState& t, const Unit<u32>& unit, Word r, u32 mask, AccessKind kind, Found& found) {
  const Word w = r.is_none() ? Word() : Word(load_word(unit.W));
  FourWords W = four_of(w), R = four_of(r);
  // Tables are read a byte at a time, by each thread at times of its own. Of bytes that are read together neighbours mostly have the same past.
  const Reference own = has_one_bit(mask) ? Reference::ByteSet : Reference::CommonSet;
  LastByte last;
  for (u32 i = 0; i < 4; ++i) {
    if (!(mask >> i & 1)) continue;
    Word W_of_byte = W.of(i), R_of_byte = R.of(i);
    step_on_byte(t, W_of_byte, R_of_byte, kind, unit.address + i, last, own, found);
    W.set(1u << i, W_of_byte), R.set(1u << i, R_of_byte);
  }
  if (kind == AccessKind::Write) store_word(unit.W, word_of(t, W).raw);
  store_word(unit.R, r.is_bytes() && R == four_words_of(r) ? r.raw : word_of(t, R).raw);
}

} // namespace

Word word_of(ThreadState& t, const FourWords& words) {
  if (are_alike(words)) return words.of(0);
  if (!may_be_common(words)) return new_four_words(t, words);
  const u64 hash = hash_of(words);
  u64* place = &g_four_words[hash % kPlaces];
  const u64 there = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  const Word found(Reference::Bytes, u32(there));
  if (there && there >> 32 == hash >> 32 && four_words_of(found) == words) {
    t.count(Transition::bytes_shared);
    return found;
  }
  const Word made = new_four_words(t, words);
  __atomic_store_n(place, hash >> 32 << 32 | made.index(), __ATOMIC_RELEASE);
  return made;
}

void forget_four_words() {
  for (u64& place : g_four_words) place = 0;
}

void remember_mine(ThreadState& t, BytesMemo& memo, Word before, u32 mask) {
  FourWords words = four_of(before);
  bool is_ordered = true;
  for (u32 i = 0; i < 4; ++i)
    if (mask >> i & 1) is_ordered &= covers(t, words.of(i));
  words.set(mask, t.epoch);
  memo = {before, u8(mask), is_ordered, t.epoch, is_ordered ? word_of(t, words) : Word()};
}

Word written(ThreadState& t, Word w, u32 mask) {
  if (const BytesMemo& memo = with_mine(t, w, mask); FR_LIKELY(memo.is_ordered)) return memo.after;
  FourWords words = four_of(w); // a write that races with this one
  words.set(mask, t.epoch);
  return word_of(t, words);
}

bool read_byte_set(ThreadState& t, const Unit<u32>& unit, Word r, u32 byte) {
  if (!swap_word(unit.R, r.raw, kLocked.raw)) return false;
  const bool is_done =
      move_on_in_byte_set(t, word_of_byte(Word(load_word(unit.W)), byte), word_of_byte(r, byte));
  store_word(unit.R, r.raw);
  return is_done;
}

void step_on_bytes(ThreadState& t, uptr address, u32 mask, AccessKind kind, Found& found) {
  const Unit<u32> unit = granule_unit(address);
  for (u32 spins = 0;;) {
    const Word r(load_word(unit.R));
    if (r.is_locked()) {
      pause_for(spins);
      continue;
    }
    const Word w(load_word(unit.W));
    if (!is_atomic(kind) && mask == 0xf && !r.is_bytes() && !w.is_bytes()) return step(t, unit, kind, found);
    if (r.asks_header()) {
      const Asked asked = ask_header(t, address, kind);
      if (asked == Asked::Seen) return;
      if (asked == Asked::LookAgain || !r.is_none()) continue;
    } else if (is_same_epoch_of_bytes(t, w, r, mask, kind)) {
      // Nothing changes. Taken apart and put together the granule would have the W that it had, and a writer who has stored W meanwhile would find the R
      // that it expects.
      return;
    }
    if (!swap_word(unit.R, r.raw, kLocked.raw)) continue;
    return step_on_locked(t, unit, r, mask, kind, found);
  }
}

void forget_bytes(ThreadState& t, uptr address, u32 mask) {
  const Unit<u32> unit = granule_unit(address);
  Word r;
  for (u32 spins = 0;;) {
    r = Word(load_word(unit.R));
    if (r.asks_header()) return;
    if (r.is_locked())
      pause_for(spins);
    else if (swap_word(unit.R, r.raw, kLocked.raw))
      break;
  }
  FourWords W = four_of(Word(load_word(unit.W))), R = four_of(r);
  W.set(mask, Word()), R.set(mask, Word());
  store_word(unit.W, word_of(t, W).raw);
  store_word(unit.R, word_of(t, R).raw);
}

} // namespace footrace::fasttrack
