#include "check/waiting_bytes.h"

#include "check/bytes.h"

namespace footrace::fasttrack {

namespace {
void settle_slot(ThreadState& t, u32 index, Found& found) {
  const WaitingGranule g = t.waiting.slot[index];
  t.waiting.slot[index].granule = 0;
  t.waiting.used &= ~(1ull << index);
  const u32 read = g.read & ~u32(g.written); // a write stands for a read
  if (read) step_on_bytes(t, g.granule * 4, read, AccessKind::Read, found);
  if (g.written) step_on_bytes(t, g.granule * 4, g.written, AccessKind::Write, found);
}
} // namespace

void wait_in_granule(ThreadState& t, uptr granule, u32 mask, bool write, Found& found) {
  const u32 index = WaitingBytes::slot_of(granule);
  WaitingGranule& g = t.waiting.slot[index];
  if (g.granule != granule) {
    if (g.granule) settle_slot(t, index, found);
    g = {granule, 0, 0, 0, nullptr};
    t.waiting.used |= 1ull << index;
    t.count(Transition::bytes_waited);
  }
  u8& bytes = write ? g.written : g.read;
  bytes = u8(bytes | mask);
  if ((g.read | g.written) == 0xf && (!g.written || g.written == 0xf)) settle_slot(t, index, found);
}

void settle_bytes(ThreadState& t, Found& found) {
  for (u64 left = t.waiting.used; left; left &= left - 1) settle_slot(t, u32(__builtin_ctzll(left)), found);
}

} // namespace footrace::fasttrack
