// Bytes of a granule with different pasts: W, R, or each of them names four words, one for each byte. When the four are alike again, the word is one of
// them again. W and R go apart each for itself: a table whose bytes one thread writes, and reads in rows, has R in one piece, where code in line looks.
//
//   R ─► { e1  e1  e2  e1 }     the third byte was accessed later
//   W ─► { e0  e1  e1  e1 }     and that was a read
//
// Four words never change, and any number of granules name them: neighbours mostly have the same past, and code mostly does the same to each of
// them. A thread remembers what becomes of a word by its access (BytesMemo), so it mostly needs not even look at the four; those that are not
// remembered are found by what is in them (four_words).
//
// Concurrency. A read takes R to what follows by one swap: nothing that it has looked at changes as long as R is the same word. A write of some bytes
// must keep the W of the others, which may be written, or begin a new life, meanwhile: so R is locked for the while (kLocked), also where it stays as it
// is. Nobody stores a W of bytes who has not locked R. What is left to meet is a W that a writer of all four bytes has stored ahead of its swap of R: it
// may hide the W of a byte, but its writer finds another R than the one that it has loaded, and races with the one who wrote the byte.
#pragma once

#include "check/mapping.h"
#include "check/rules.h"

namespace footrace::fasttrack {

// Two by two: what is made of them is made in registers, and stored and loaded as it is.
struct alignas(16) FourWords {
  u64 pair[2];

  static constexpr FourWords all(Word w) { return {{both<u64>(w), both<u64>(w)}}; }
  constexpr Word of(u32 byte) const { return Word(u32(pair[byte >> 1] >> (byte & 1) * 32)); }
  constexpr void set(u32 mask, Word w) { // of these bytes
    for (u32 i = 0; i < 2; ++i) {
      const u64 bits = mask >> 2 * i, lanes = ((bits & 1) | (bits & 2) << 31) * 0xffff'ffff;
      pair[i] = (pair[i] & ~lanes) | (both<u64>(w) & lanes);
    }
  }
  constexpr bool has_references() const { return (pair[0] | pair[1]) & both<u64>(Word(Word::kTop)); }
  constexpr bool operator==(const FourWords&) const = default;
};
static_assert(sizeof(FourWords) == 16);

// R while one thread brings W and R of a granule from one state to the next.
constexpr Word kLocked = Word(Reference::Bytes, 0).locked();

// An access to the bytes `mask` of the granule at `address`.
void step_on_bytes(ThreadState& t, uptr address, u32 mask, AccessKind kind, Found& found);
// Fresh memory: nothing is known of these bytes any more.
void forget_bytes(ThreadState& t, uptr address, u32 mask);

FR_INLINE FourWords& four_words_of(Word ref) { return reinterpret_cast<FourWords*>(kBytesBase)[ref.index()]; }
// What the word knows of one byte; it is not locked.
FR_INLINE Word word_of_byte(Word w, u32 byte) { return w.is_bytes() ? four_words_of(w).of(byte) : w; }
constexpr bool are_alike(const FourWords& words) {
  return words.pair[0] == words.pair[1] && has_equal_halves(words.pair[0]);
}
constexpr bool has_one_bit(u32 mask) { return !(mask & (mask - 1)); }

// The word that says this of each byte.
Word word_of(ThreadState& t, const FourWords& words);
// Words of bytes are handed out anew: none is found by what is in it.
void forget_four_words();

// What becomes of a word by the thread's access to some bytes that is ordered after what it knew, as it was met before in this epoch, or as it is found now.
void remember_mine(ThreadState& t, BytesMemo& memo, Word before, u32 mask);
FR_INLINE const BytesMemo& with_mine(ThreadState& t, Word before, u32 mask) {
  BytesMemo& memo = t.bytes_memo[(before.raw ^ before.raw >> 8 ^ mask << 4) % ThreadState::kBytesMemos];
  if (FR_UNLIKELY(memo.before != before || memo.epoch != t.epoch || memo.mask != mask))
    remember_mine(t, memo, before, mask);
  return memo;
}

// W after the thread has written some of its bytes.
Word written(ThreadState& t, Word w, u32 mask);

// Four words, and all that they know is ordered before the thread.
FR_INLINE bool covers_bytes(const ThreadState& t, Word w) {
  if (!w.is_bytes() || w.is_locked()) return false;
  const FourWords words = four_words_of(w);
  return covers(t, words.of(0)) && covers(t, words.of(1)) && covers(t, words.of(2)) && covers(t, words.of(3));
}
// All that W knows is ordered before the thread.
FR_INLINE bool covers_writes(const ThreadState& t, Word w) { return covers(t, w) || covers_bytes(t, w); }
// All that R of a whole granule or cell knows is: exclusive_step will do, whatever the bytes know.
template <class U> FR_INLINE bool is_exclusive_of_bytes(const ThreadState& t, U r) {
  const auto is_covered = [&t](Word half) { return covers_own(t, half) || covers_bytes(t, half); };
  return is_covered(low_word(r)) && (has_equal_halves(r) || is_covered(high_word(r)));
}

// The thread has accessed the bytes in its epoch. Inside a critical section.
FR_INLINE bool has_seen_bytes(const ThreadState& t, Word r, Word w, u32 mask, bool write) {
  if (r.is_locked()) return false;
  for (u32 i = 0; i < 4; ++i) {
    if (!(mask >> i & 1)) continue;
    const Word of_byte = word_of_byte(r, i);
    if (of_byte == Word(t.epoch) ? write && word_of_byte(w, i) != of_byte
                                 : write || !knows_readers(t, of_byte))
      return false;
  }
  return true;
}

// What most come to: a plain access to bytes of which all that R knows is ordered before it.
// `after`: what R becomes (with_mine); `mask`: which are written. False: R has changed, and nothing was done.
template <bool write>
FR_INLINE bool exclusive_step_on_bytes(ThreadState& t, const Unit<u32>& unit, Word r, Word after, u32 mask) {
  if constexpr (write) {
    if (!swap_word(unit.R, r.raw, kLocked.raw)) return false;
    const Word w = r.is_none() ? Word() : Word(load_word(unit.W));
    store_word(unit.W, written(t, w, mask).raw);
    store_word(unit.R, after.raw);
  } else if (!swap_word(unit.R, r.raw, after.raw)) {
    return false;
  }
  t.count(write ? Rule::write_exclusive : Rule::read_exclusive);
  return true;
}

// [READ SHARED] of a byte that has a set of its own, by a thread that is in it. False: R may have changed, or the set is no longer what it was.
bool read_byte_set(ThreadState& t, const Unit<u32>& unit, Word r, u32 byte);

template <class Names> bool bytes_name(Word ref, Names names) {
  if (ref.is_locked()) return true; // who knows
  const FourWords words = four_words_of(ref);
  return names(words.of(0)) || names(words.of(1)) || names(words.of(2)) || names(words.of(3));
}

u64 four_words_in_use();

} // namespace footrace::fasttrack
