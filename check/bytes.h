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
  bool seen = true;
  for (u32 i = 0; i < 4; ++i)
    if (mask >> i & 1) seen &= is_mine(bytes.R[i]) && (!write || is_mine(bytes.W[i]));
  return seen;
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
