// The slow path of every check: history, FastTrack's rules, reports.
#pragma once

#include "detectors/fasttrack/access.h"
#include "detectors/fasttrack/runs.h"
#include "runtime/thread.h"

namespace footrace {

struct Access {
  uptr address;
  u64 size;
  fasttrack::AccessKind kind;
  SiteId site;
};
// Applies the rules to [from, to) of the access inside the caller's critical section, up to the first cell with a conflict; returns the
// bytes done. Conflicts wait in the thread (Thread::found) until report_found, outside of it: a report waits for another process.
u64 access_in_critical(Thread* t, const Access& access, uptr from, uptr to);
void report_found(Thread* t);
// Checks what waits in the thread's footprint, inside a critical section; conflicts wait in `teller`, which reports them at the end of its own.
void settle_footprint(Thread* t, Thread* teller);
void settle_run(Thread* t, Thread* teller, fasttrack::Run& run, bool write);
// The same for the cells of [from, to) only.
FR_COLD void settle_range(Thread* t, uptr from, uptr to);
// Of up to 16 bytes that the thread is about to access: what waits of them is checked first, so that each race is told of its own access. True:
// the access needs no check of its own, because one that waits covers it.
FR_COLD bool settle_waiting_in(Thread* t, uptr from, uptr to, bool write);
FR_INLINE bool settle_before(Thread* t, uptr address, u64 size, bool write) {
  return FR_UNLIKELY(t->footprint.waiting != 0) && settle_waiting_in(t, address, address + size, write);
}
// All bytes of the cell wait: they go into a run, or are checked.
void cell_is_full(Thread* t, fasttrack::PendingCell& pending, bool write);
// At the end of the process: of all threads, for those that will make no further step.
void settle_everyone();
void settle_waiting(Thread* t, Thread* teller, fasttrack::PendingCell& pending, bool write);
// Some whole cells of a block, all inside the access. Returns those that are left to be accessed one by one.
u64 access_together(Thread* t, const Access& access, u64 cells);
// What is left of an access when simple steps end at `from`; leaves the critical section that the caller has entered. Plain accesses only.
FR_COLD void general_access(Thread* t, Access access, uptr from);
// A few bytes that the thread has accessed before in this epoch.
FR_INLINE bool is_short_and_seen(const Thread* t, uptr address, u64 size, bool write) {
  constexpr u64 kShort = 256;
  return size <= kShort && fasttrack::seen_in_this_epoch(*t, address, size, write);
}
// Both, for the whole access, with critical sections of their own. Plain accesses only.
void checked_access(Thread* t, uptr address, u64 size, fasttrack::AccessKind kind, SiteId site);
// The same for the bytes [from, to) of an access.
void checked_part(Thread* t, const Access& access, uptr from, uptr to);

// Of many bytes: what was checked in this epoch is not looked at again (runtime/checked_blocks.h).
void checked_range(
    Thread* t,
    const Access&
        access); // that neither has_seen_short_range nor has_checked_range (runtime/seen_range.h) knows
// `count` elements of access.size bytes; the first is at access.address, the others `stride` bytes apart (a signed number: addresses wrap).
void checked_strided(Thread* t, const Access& access, u64 stride, u64 count);
// At the end of a thread: gives back Thread::checked.
void drop_checked_blocks(Thread* t);

} // namespace footrace
