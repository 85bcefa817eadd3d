// Bytes of a granule with different pasts: R names a record with W and R of each of the four, which changes by the rules of every other past; when the
// four are alike again, they go back into the granule. Sets that a record names are never changed in place: before, they may have been the granule's, and now
// they are of several bytes.
//
// Neighbours mostly have the same past, and code mostly does the same to each of them. So records are *common*: they never change, any number of granules name
// one, and a thread remembers which one follows from which by its access (BytesMemo). What nobody else does gets a record of its granule's *own*.
//
// Concurrency: a common record takes the place of another by compare-and-swap of R. Where W of the granule must be read or written (its bytes part, or go together),
// and to change an own record, R is locked for the while. An own record stays its granule's until the next sweep, also while the granule does not need it; so
// whoever is inside a step may read a record without the lock: what it finds there of its own epoch is true.
#pragma once

#include "check/mapping.h"
#include "check/rules.h"

namespace footrace::fasttrack {

struct ByteRecord {
  Word W[4], R[4];
};
static_assert(sizeof(ByteRecord) == 32);

// An access to the bytes `mask` of the granule at `address`.
void step_on_bytes(ThreadState& t, uptr address, u32 mask, AccessKind kind, Found& found);

FR_INLINE ByteRecord& byte_record_of(Word ref) {
  return reinterpret_cast<ByteRecord*>(kBytesBase)[ref.index()];
}
// Fresh memory: nothing is known of these bytes any more.
void forget_bytes(ThreadState& t, uptr address, u32 mask);
// R of a granule was replaced: if it named bytes of its own, the record is kept for the next time.
void free_bytes(ThreadState& t, uptr address, Word r);

// The thread has accessed the bytes in its epoch. Inside a critical section.
FR_INLINE bool has_seen_bytes(const ThreadState& t, Word r, u32 mask, bool write) {
  if (!r.is_bytes() || r.is_locked()) return false;
  const ByteRecord& bytes = byte_record_of(r);
  const auto is_mine = [&](const Word& word) {
    return __atomic_load_n(&word.raw, __ATOMIC_RELAXED) == t.epoch.raw;
  };
  for (u32 i = 0; i < 4; ++i) {
    if (!(mask >> i & 1)) continue;
    if (is_mine(bytes.R[i]) ? write && !is_mine(bytes.W[i]) : write || !knows_readers(t, bytes.R[i]))
      return false;
  }
  return true;
}

constexpr bool has_one_bit(u32 mask) { return !(mask & (mask - 1)); }
FR_INLINE bool are_alike(const Word (&words)[4]) {
  u64 two[2];
  __builtin_memcpy(two, words, sizeof two);
  return two[0] == two[1] && has_equal_halves(two[0]);
}
FR_INLINE bool are_alike(const ByteRecord& bytes) { return are_alike(bytes.R) && are_alike(bytes.W); }
FR_INLINE bool has_exclusive_bytes(const ThreadState& t, const ByteRecord& bytes, u32 mask) {
  bool all = true;
  for (u32 i = 0; i < 4; ++i)
    if (mask >> i & 1) all &= covers(t, Word(__atomic_load_n(&bytes.R[i].raw, __ATOMIC_RELAXED)));
  return all;
}
// What most come to: a plain access, and all that is known of the bytes is ordered before it.
FR_INLINE bool exclusive_step_on_record(ThreadState& t, ByteRecord& bytes, u32 mask, AccessKind kind) {
  if (is_atomic(kind) || !has_exclusive_bytes(t, bytes, mask)) return false;
  for (u32 i = 0; i < 4; ++i)
    if (mask >> i & 1) {
      bytes.R[i] = t.epoch;
      if (kind == AccessKind::Write) bytes.W[i] = t.epoch;
    }
  t.count(kind == AccessKind::Write ? Rule::write_exclusive : Rule::read_exclusive);
  return true;
}
// Bytes of a granule whose R is an epoch that is ordered before the thread. False: R has changed.
bool part_quickly(ThreadState& t, const Unit<u32>& unit, Word r, u32 mask, AccessKind kind);

// [READ SHARED] of one byte of an own record, in a set where only reads are: the thread's entry moves on, or its read stands for all of them. The record's
// lock is held, so nobody else changes the set.
bool read_quickly(ThreadState& t, Word W, Word& R);

// R is locked, and the four are alike: they are the granule's again.
void own_bytes_join(ThreadState& t, const Unit<u32>& unit, Word r);

// What becomes of bytes by an access, where it was met before in this epoch.
FR_INLINE BytesMemo& bytes_memo_of(ThreadState& t, Word r, u32 mask, AccessKind kind) {
  return t.bytes_memo[(r.raw ^ r.raw >> 6 ^ mask * 5 ^ u32(kind) << 4) % ThreadState::kMemos];
}
FR_INLINE bool is_memo_of(const BytesMemo& memo, const ThreadState& t, Word r, u32 mask, AccessKind kind) {
  return memo.R == r && memo.epoch == t.epoch && memo.mask == mask && memo.write == may_write(kind);
}

template <class Names> bool bytes_name(Word ref, Epoch epoch, Names names) {
  if (ref.is_locked()) return true; // who knows
  const ByteRecord& record = byte_record_of(ref);
  for (u32 i = 0; i < 4; ++i)
    if (record.W[i] == Word(epoch) || names(record.R[i])) return true;
  return false;
}

u64 byte_records_in_use();

} // namespace footrace::fasttrack
