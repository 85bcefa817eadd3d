// Bytes of a granule with different pasts: R names a record with W and R of each of the four. It is changed under its lock, a bit of the
// reference, by the rules of every other past; when the four are alike again, they go back into the granule and the record is free.
// Sets that a record names are never changed in place: before, they may have been the granule's, and now they are of several bytes.
//
// Concurrency: only who has swapped the granule's R for the locked one touches the record. So a record that is used again at once, elsewhere, harms nobody: who still has
// the old reference must swap it first, and fails unless the record is this granule's.
#pragma once

#include "check/rules.h"

namespace footrace::fasttrack {

struct ByteRecord {
  Word W[4], R[4];
};
static_assert(sizeof(ByteRecord) == 32);

// An access to the bytes `mask` of the granule at `address`.
void step_on_bytes(ThreadState& t, uptr address, u32 mask, AccessKind kind, Found& found);

ByteRecord& byte_record_of(Word ref);
// Fresh memory: nothing is known of these bytes any more.
void forget_bytes(ThreadState& t, uptr address, u32 mask);
void free_byte_record(ThreadState& t, Word ref);

template <class Names> bool bytes_name(Word ref, Epoch epoch, Names names) {
  const ByteRecord& record = byte_record_of(ref);
  for (u32 i = 0; i < 4; ++i)
    if (record.W[i] == Word(epoch) || names(record.R[i])) return true;
  return false;
}

u64 byte_records_in_use();

} // namespace footrace::fasttrack
