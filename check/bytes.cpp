#include "check/bytes.h"

#include "check/arrays.h"
#include "check/step.h"
#include "check/sweep.h"

namespace footrace::fasttrack {

namespace {

// R while W is read or written by who brings bytes into a record, or out of one.
constexpr Word kParting = Word(Reference::OwnBytes, 0).locked();

FreeRecord& free_record_of(ThreadState& t, uptr address) {
  return t.free_record[address / kGranule % ThreadState::kFreeRecords];
}
u32 new_index(ThreadState& t) {
  if (FR_UNLIKELY(t.byte_records.next == t.byte_records.end)) t.byte_records = take_byte_records();
  return t.byte_records.next++;
}
Word own_bytes(ThreadState& t, uptr address, const ByteRecord& bytes) {
  FreeRecord& free = free_record_of(t, address);
  const Word ref(Reference::OwnBytes, free.granule == address ? free.index : new_index(t));
  if (free.granule == address) free = {};
  byte_record_of(ref) = bytes;
  return ref;
}
Word common_bytes(ThreadState& t, const ByteRecord& bytes) {
  const Word ref(Reference::CommonBytes, new_index(t));
  byte_record_of(ref) = bytes;
  return ref;
}

// What R, which the caller has locked, knew of the bytes. W is read behind the swap of R: a thread that read the granule before in its epoch may have
// written it meanwhile, which leaves R as it was.
ByteRecord bytes_of(const Unit<u32>& unit, Word r) {
  if (r.is_bytes()) return byte_record_of(r);
  const Word w = r.is_none() ? Word() : Word(load_word(unit.W));
  return {{w, w, w, w}, {r, r, r, r}};
}

// R is locked. A set, too, is the granule's again, or the cell's if the other half has it still.
void join_bytes(ThreadState& t, const Unit<u32>& unit, Word w, Word r) {
  store_word(unit.W, w.raw);
  store_word(unit.R, r.raw);
  t.count(Transition::bytes_joined);
}

// What the access made of the byte before: bytes with equal pasts get the same set, so that they can go together again.
struct LastByte {
  Past past;
  Word after;
};

// The same rules as for a granule, with nobody else about.
void step_on_byte(ThreadState& t, Word& W, Word& R, AccessKind kind, uptr address, LastByte& last,
                  Reference own, Found& found) {
  const Past past = {W.epoch(), R};
  if (is_same_epoch(t, past, kind)) return;
  if (kind == AccessKind::Read && read_quickly(t, W, R)) return;
  if (last.after.is_none() || last.past.W != past.W || last.past.R != past.R) {
    last = {past, exclusive_after(t, past, kind)};
    if (last.after.is_none()) last.after = shared_after(t, past, kind, own);
  }
  if (kind == AccessKind::Write) W = t.epoch;
  R = last.after;
  if (kind == AccessKind::Read && R.is_set()) know_readers(t, R);
  tell_conflicts(t, past, kind, {address, 1}, found);
}
void step_on_record(ThreadState& t, ByteRecord& bytes, u32 mask, AccessKind kind, uptr address,
                    Found& found) {
  if (exclusive_step_on_record(t, bytes, mask, kind)) return;
  // Tables are read a byte at a time, by each thread at times of its own. Of bytes that are read together neighbours mostly have the same past.
  const Reference own = has_one_bit(mask) ? Reference::ByteSet : Reference::CommonSet;
  LastByte last;
  for (u32 i = 0; i < 4; ++i)
    if (mask >> i & 1) step_on_byte(t, bytes.W[i], bytes.R[i], kind, address + i, last, own, found);
}

// R has been swapped for its locked self.
void step_on_own_bytes(ThreadState& t, const Unit<u32>& unit, Word r, u32 mask, AccessKind kind,
                       Found& found) {
  ByteRecord& bytes = byte_record_of(r);
  step_on_record(t, bytes, mask, kind, unit.address, found);
  if (are_alike(bytes))
    own_bytes_join(t, unit, r);
  else
    store_word(unit.R, r.raw);
}

// R, which was `r`, has been swapped for kParting.
void part_bytes(ThreadState& t, const Unit<u32>& unit, Word r, u32 mask, AccessKind kind, Found& found) {
  ByteRecord bytes = bytes_of(unit, r);
  const Word w = r.is_bytes() ? Word() : bytes.W[0];
  BytesMemo& memo = bytes_memo_of(t, r, mask, kind);
  const bool is_known = !is_atomic(kind) && is_memo_of(memo, t, r, mask, kind) && memo.W == w;
  if (is_known && memo.after_R.is_bytes()) return store_word(unit.R, memo.after_R.raw);
  if (is_known && !memo.after_R.is_none()) return join_bytes(t, unit, memo.after_W, memo.after_R);
  const u32 conflicts = found.count;
  step_on_record(t, bytes, mask, kind, unit.address, found);
  bool is_ordered =
      !is_atomic(kind) && found.count == conflicts; // the same for every granule that has this past
  for (u32 i = 0; i < 4; ++i)
    if (mask >> i & 1) is_ordered &= bytes.R[i] == Word(t.epoch);
  if (is_ordered) memo = {w, r, u8(mask), may_write(kind), t.epoch, Word(), Word()};
  if (are_alike(bytes)) {
    if (is_ordered) memo.after_W = bytes.W[0], memo.after_R = bytes.R[0];
    return join_bytes(t, unit, bytes.W[0], bytes.R[0]);
  }
  t.count(Transition::bytes_parted);
  // Met for the second time: there will be more of these.
  if (!is_ordered || !is_known) return store_word(unit.R, own_bytes(t, unit.address, bytes).raw);
  memo.after_R = common_bytes(t, bytes);
  store_word(unit.R, memo.after_R.raw);
}

} // namespace

bool part_quickly(ThreadState& t, const Unit<u32>& unit, Word r, u32 mask, AccessKind kind) {
  if (!swap_word(unit.R, r.raw, kParting.raw)) return false;
  Found nothing(t, [](void*, const Conflict&) {}, nullptr);
  part_bytes(t, unit, r, mask, kind, nothing);
  return true;
}

bool read_quickly(ThreadState& t, Word W, Word& R) {
  if (!R.is_set() || R.kind() != Reference::ByteSet || !covers(t, W)) return false;
  ReaderSet& readers = set_of(R);
  u64* mine = nullptr;
  bool is_superseded = true;
  for (u32 i = 0; i < readers.capacity; ++i) {
    const SetEntry e = load_entry(readers, i);
    if (!e) break;
    if (e.kind() != AccessKind::Read) return false;
    if (tid_of(e.epoch()) == t.tid()) mine = &readers.entry[i];
    is_superseded &= covers(t, e.epoch());
  }
  if (is_superseded) {
    R = t.epoch;
    t.count(Rule::read_exclusive);
    return true;
  }
  if (!mine) return false;
  store_word(mine, SetEntry(t.epoch, AccessKind::Read).raw);
  know_readers(t, R);
  t.count(Rule::read_shared);
  t.count(Transition::set_moved);
  return true;
}

void own_bytes_join(ThreadState& t, const Unit<u32>& unit, Word r) {
  const ByteRecord& bytes = byte_record_of(r);
  join_bytes(t, unit, bytes.W[0], bytes.R[0]);
  free_bytes(t, unit.address, r);
}

void free_bytes(ThreadState& t, uptr address, Word r) {
  if (r.is_bytes() && r.kind() == Reference::OwnBytes) free_record_of(t, address) = {address, r.index()};
}

void step_on_bytes(ThreadState& t, uptr address, u32 mask, AccessKind kind, Found& found) {
  const Unit<u32> unit = granule_unit(address);
  for (u32 spins = 0;;) {
    const Word r(load_word(unit.R));
    if (!is_atomic(kind)) { // [READ SAME EPOCH] [WRITE SAME EPOCH] of all four
      if (r == Word(t.epoch) && (kind == AccessKind::Read || load_word(unit.W) == r.raw)) return;
      if (mask == 0xf && !r.is_bytes()) return step(t, unit, kind, found);
    }
    if (r.is_locked()) {
      pause_for(spins);
      continue;
    }
    if (r.is_none()) {
      const Asked asked = ask_header(t, address, kind);
      if (asked == Asked::Seen) return;
      if (asked == Asked::LookAgain) continue;
    } else if (r.is_bytes()) {
      if (has_seen_bytes(t, r, mask, may_write(kind)) && !is_atomic(kind)) return;
    } else if (is_same_epoch(t, {Word(load_word(unit.W)).epoch(), r}, kind)) {
      // Nothing changes: then the granule stays whole. It would come back with the W that it had, and a writer who has stored W meanwhile would find
      // the R that it expects.
      return;
    }
    if (r.is_bytes() && r.kind() == Reference::OwnBytes) {
      if (!swap_word(unit.R, r.raw, r.locked().raw)) continue;
      return step_on_own_bytes(t, unit, r, mask, kind, found);
    }
    const BytesMemo& memo = bytes_memo_of(t, r, mask, kind);
    if (r.is_bytes() && !is_atomic(kind) && is_memo_of(memo, t, r, mask, kind) && memo.after_R.is_bytes()) {
      if (!swap_word(unit.R, r.raw, memo.after_R.raw)) continue;
      return t.count(Transition::bytes_shared);
    }
    if (!swap_word(unit.R, r.raw, kParting.raw)) continue;
    return part_bytes(t, unit, r, mask, kind, found);
  }
}

void forget_bytes(ThreadState& t, uptr address, u32 mask) {
  const Unit<u32> unit = granule_unit(address);
  Word r;
  for (u32 spins = 0;;) {
    r = Word(load_word(unit.R));
    if (r.is_none()) return;
    if (r.is_locked())
      pause_for(spins);
    else if (swap_word(unit.R, r.raw, kParting.raw))
      break;
  }
  ByteRecord bytes = bytes_of(unit, r);
  free_bytes(t, address, r);
  store_word(
      unit.W,
      0u); // it is of no use while there is a record, but code in line would find that its thread has written all of the granule
  for (u32 i = 0; i < 4; ++i)
    if (mask >> i & 1) bytes.W[i] = bytes.R[i] = Word();
  if (are_alike(bytes)) return join_bytes(t, unit, bytes.W[0], bytes.R[0]);
  store_word(unit.R, own_bytes(t, address, bytes).raw);
}

} // namespace footrace::fasttrack
