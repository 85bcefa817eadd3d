#include "check/waiting_bytes.h"

#include "check/quick.h"

namespace footrace::fasttrack {

namespace {
// All in one step, if all that R knows of the bytes is ordered.
template <bool write> bool settle_quickly(ThreadState& t, const WaitingGranule& g) {
  const Unit<u32> unit = granule_unit(g.granule * kGranule);
  const Word r(load_word(unit.R));
  if (!may_step_on_bytes(unit, r)) return false;
  const BytesMemo& mine = with_mine(t, r, g.read | g.written);
  return mine.is_ordered && exclusive_step_on_bytes<write>(t, unit, r, mine.after, g.written);
}
void settle_slot(ThreadState& t, u32 index, Found& found) {
  const WaitingGranule g = t.waiting.slot[index];
  const u32 read = g.read & ~u32(g.written); // a write stands for a read
  if (!(g.written ? settle_quickly<true>(t, g) : settle_quickly<false>(t, g))) {
    if (read) step_on_bytes(t, g.granule * kGranule, read, AccessKind::Read, found);
    if (g.written) step_on_bytes(t, g.granule * kGranule, g.written, AccessKind::Write, found);
  }
  // Afterwards: whoever does not find the bytes here finds them in the shadow (may_wait in kept_accesses.cpp).
  __atomic_store_n(&t.waiting.slot[index].granule, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&t.waiting.used, t.waiting.used & ~(1ull << index), __ATOMIC_RELEASE);
}

} // namespace

void wait_in_granule(ThreadState& t, uptr granule, u32 mask, bool write, Found& found) {
  const u32 index = WaitingBytes::slot_of(granule);
  WaitingGranule& g = t.waiting.slot[index];
  if (g.granule != granule) {
    const AccessKind kind = write ? AccessKind::Write : AccessKind::Read;
    if (!(write ? belongs_to_row<true>(t, granule) : belongs_to_row<false>(t, granule)))
      return step_on_bytes(t, granule * kGranule, mask, kind, found);
    if (g.granule) settle_slot(t, index, found);
    g = {};
    g.granule = granule;
    t.waiting.used |= 1ull << index;
    t.count(Transition::bytes_waited);
  }
  u8& bytes = write ? g.written : g.read;
  bytes = u8(bytes | mask);
  if ((g.read | g.written) == 0xf && (!g.written || g.written == 0xf)) settle_slot(t, index, found);
}

void settle_granules(ThreadState& t, uptr from, uptr to, Found& found) {
  if (to - from <= WaitingBytes::kSlots) {
    for (uptr granule = from / kGranule; granule * kGranule < to; ++granule)
      if (const u32 index = WaitingBytes::slot_of(granule); t.waiting.slot[index].granule == granule)
        settle_slot(t, index, found);
    return;
  }
  for (u64 left = t.waiting.used; left; left &= left - 1) {
    const u32 index = u32(__builtin_ctzll(left));
    const uptr address = t.waiting.slot[index].granule * kGranule;
    if (address < to && address + kGranule > from) settle_slot(t, index, found);
  }
}

void settle_bytes(ThreadState& t, Found& found) {
  for (u64 left = t.waiting.used; left; left &= left - 1) settle_slot(t, u32(__builtin_ctzll(left)), found);
}

} // namespace footrace::fasttrack
