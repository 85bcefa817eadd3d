#include "check/bytes.h"

#include "check/arrays.h"
#include "check/step.h"
#include "check/sweep.h"

namespace footrace::fasttrack {

ByteRecord& byte_record_of(Word ref) { return reinterpret_cast<ByteRecord*>(kBytesBase)[ref.index()]; }

namespace {

u32 new_record(ThreadState& t) {
  if (t.free_record_count) return t.free_records[--t.free_record_count];
  if (FR_UNLIKELY(t.byte_records.next == t.byte_records.end)) t.byte_records = take_byte_records();
  return t.byte_records.next++;
}

// Takes the granule's words for the record. W is read behind the swap of R: a thread that read the granule before in its epoch may have written it
// meanwhile, which leaves R as it was.
void fill_record(const Unit<u32>& unit, Word ref, Word r) {
  ByteRecord& record = byte_record_of(ref);
  const Word w = r.is_none() ? Word() : Word(load_word(unit.W));
  for (u32 i = 0; i < 4; ++i) record.W[i] = w, record.R[i] = r;
}

// Locks the record of the granule, which is made if there is none. False: the access was seen in the header of the block.
bool lock_bytes(ThreadState& t, const Unit<u32>& unit, AccessKind kind, bool may_ask, Word& ref) {
  for (u32 spins = 0;;) {
    const Word r(load_word(unit.R));
    if (r.is_bytes()) {
      if (r.is_locked()) {
        pause_for(spins);
      } else if (swap_word(unit.R, r.raw, r.locked().raw)) {
        ref = r;
        return true;
      }
      continue;
    }
    if (r.is_none() && may_ask) {
      const Asked asked = ask_header(t, unit.address, kind);
      if (asked == Asked::Seen) return false;
      if (asked == Asked::LookAgain) continue;
    }
    ref = Word(Reference::Bytes, new_record(t));
    if (swap_word(unit.R, r.raw, ref.locked().raw)) {
      fill_record(unit, ref, r);
      t.count(Transition::bytes_parted);
      return true;
    }
    free_byte_record(t, ref);
  }
}

void unlock_bytes(ThreadState& t, const Unit<u32>& unit, Word ref) {
  const ByteRecord& record = byte_record_of(ref);
  bool alike = true;
  for (u32 i = 1; i < 4; ++i) alike &= record.W[i] == record.W[0] && record.R[i] == record.R[0];
  if (!alike) return store_word(unit.R, ref.raw);
  const Word r =
      record.R[0]; // a set, too, is the granule's again, or the cell's if the other half has it still
  store_word(unit.W, record.W[0].raw);
  store_word(unit.R, r.raw);
  free_byte_record(t, ref);
  t.count(Transition::bytes_joined);
}

// What the access made of the byte before: bytes with equal pasts get the same set, so that they can go together again.
struct LastByte {
  Past past;
  Word after;
};

// The same rules as for a granule, with nobody else about.
void step_on_byte(ThreadState& t, Word& W, Word& R, AccessKind kind, uptr address, LastByte& last,
                  Found& found) {
  const Past past = {W.epoch(), R};
  if (is_same_epoch(t, past, kind)) return;
  if (last.after.is_none() || last.past.W != past.W || last.past.R != past.R) {
    last = {past, exclusive_after(t, past, kind)};
    if (last.after.is_none()) last.after = shared_after(t, past, kind, Reference::OwnSet);
  }
  if (kind == AccessKind::Write) W = t.epoch;
  R = last.after;
  tell_conflicts(t, past, kind, {address, 1}, found);
}

} // namespace

void free_byte_record(ThreadState& t, Word ref) {
  if (t.free_record_count < ThreadState::kFreeRecords) t.free_records[t.free_record_count++] = ref.index();
}

void step_on_bytes(ThreadState& t, uptr address, u32 mask, AccessKind kind, Found& found) {
  const Unit<u32> unit = granule_unit(address);
  if (!is_atomic(kind)) { // [READ SAME EPOCH] [WRITE SAME EPOCH] of all four
    const u32 r = load_word(unit.R);
    if (r == t.epoch.raw && (kind == AccessKind::Read || load_word(unit.W) == r)) return;
    if (mask == 0xf && !Word(r).is_bytes()) return step(t, unit, kind, found);
  }
  Word ref;
  if (!lock_bytes(t, unit, kind, true, ref)) return;
  ByteRecord& record = byte_record_of(ref);
  LastByte last;
  for (u32 i = 0; i < 4; ++i)
    if (mask >> i & 1) step_on_byte(t, record.W[i], record.R[i], kind, address + i, last, found);
  unlock_bytes(t, unit, ref);
}

void forget_bytes(ThreadState& t, uptr address, u32 mask) {
  const Unit<u32> unit = granule_unit(address);
  if (!load_word(unit.R)) return;
  Word ref;
  if (!lock_bytes(t, unit, AccessKind::Write, false, ref)) return;
  ByteRecord& record = byte_record_of(ref);
  store_word(
      unit.W,
      0u); // it is of no use while there is a record, but code in line would find that its thread has written all of the granule
  for (u32 i = 0; i < 4; ++i)
    if (mask >> i & 1) record.W[i] = record.R[i] = Word();
  unlock_bytes(t, unit, ref);
}

} // namespace footrace::fasttrack
