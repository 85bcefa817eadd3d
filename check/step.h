// One step: an access to one granule, one cell, or a range of them, put into the shadow. What the runtime, the replayer and the tests call.
#pragma once

#include "check/cell.h"
#include "check/rules.h"

namespace footrace::fasttrack {

// True if access() would change nothing: the thread has read (or written) every byte in this epoch. Plain accesses only. W alone does not say so here: the
// thread may come from a step whose swap of R has failed. Inside a critical section: sets and words of bytes are looked at.
bool seen_in_this_epoch(ThreadState& t, uptr address, u64 size, bool write);

// Checks [address, address + size) and records the access, each byte by itself where bytes have different pasts. With `stop_at_conflict` it ends
// behind the first unit that had any. Returns the bytes done. Never blocks on locks of the program.
u64 access(ThreadState& t, uptr address, u64 size, AccessKind kind, ConflictSink sink, void* context,
           bool stop_at_conflict = false);

// The access to a whole granule or cell: the only dispatch. Seen? Judge; commit; else look again.
template <class U> void step(ThreadState& t, Unit<U> unit, AccessKind kind, Found& found);

// What most steps come to: all that the words know is ordered before the thread. exclusive_step is false if R has changed.
template <class U> FR_INLINE bool is_exclusive(const ThreadState& t, U r) {
  return covers_own(t, low_word(r)) && (has_equal_halves(r) || covers_own(t, high_word(r)));
}
template <bool write, class U> FR_INLINE bool exclusive_step(ThreadState& t, Unit<U> unit, U r) {
  const U mine = U(t.both);
  if (write) store_word(unit.W, mine); // before R: who meets R meets W (rules.h)
  return FR_LIKELY(swap_word(unit.R, r, mine));
}

// The thread has read the granule or cell, whose R was `before`, and W is not ordered before it: told by who has a sink.
void tell_write(ThreadState& t, uptr address, u32 size, Word before, Found& found);
// From a quick step, which has none.
FR_COLD FR_KEEPS_REGISTERS void tell_late_write(ThreadState& t, uptr address, u32 size, Word before);

// Whether the shadow still names the epoch at one of these bytes.
bool still_names(uptr address, u64 size, Epoch epoch);

} // namespace footrace::fasttrack
