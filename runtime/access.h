// Every check that is not over after its first look (entry_points.cpp): the log, the steps, the reports.
#pragma once

#include "check/fresh_memory.h"
#include "check/quick.h"
#include "check/ranges.h"
#include "check/sweep.h"
#include "runtime/runtime.h"
#include "runtime/thread.h"

namespace footrace {

struct Access {
  uptr address;
  u64 size;
  AccessKind kind;
  Site site;
};

// The frame that makes an access now.
FR_INLINE Frame* top_frame(Thread* t) { return t->context.top - 1; }

// Applies the rules to [from, end of the access) inside the caller's critical section, up to the first unit with a conflict; returns where it has
// come to. Conflicts wait in the thread (Thread::found) until report_found, outside of it: a report waits for another process.
uptr access_in_critical(Thread* t, const Access& access, uptr from);
void report_found(Thread* t);
// Behind the critical section of a step: reports, and a sweep that is due.
FR_COLD void after_step(Thread* t);
FR_INLINE void leave_step(Thread* t) {
  if (FR_UNLIKELY(t->found.count | u32(sweep_is_due()))) after_step(t);
}
// The same for a whole granule or cell that the thread has not accessed in its epoch as far as its words tell.
template <class U> void unit_in_critical(Thread* t, Unit<U> unit, AccessKind kind, Site site);
// An atomic write that needs no general step. False: it is to be made.
bool atomic_write_at_once(Thread* t, const Access& access);
// And for bytes that are in the log, and do not wait yet.
FR_COLD void wait_with_granule(Thread* t, uptr granule, u32 mask, bool write);
// Checks the bytes that wait in a thread, inside a critical section; conflicts wait in `teller`, which reports them at the end of its own.
void settle_waiting(Thread* t, Thread* teller);
// Before an access to whole granules, outside of a critical section: what waits of them is checked, and reported while it is the latest access of the log.
FR_COLD void settle_waiting_in(Thread* t, uptr from, uptr to);
FR_INLINE void settle_before(Thread* t, uptr from, uptr to) {
  if (FR_UNLIKELY(t->waiting.used && t->waiting.may_have(from, to))) settle_waiting_in(t, from, to);
}
// At the end of the process: of all threads, for those that will make no further step.
void settle_everyone();

enum class Quick : u8 { Done, Pending, No };

// A critical section (runtime/thread.h) of code that calls nothing: not inside another one, nor where accesses are ignored.
FR_INLINE bool quick_enter(Thread* t) {
  if (FR_UNLIKELY(t->critical | t->ignore)) return false;
  t->critical = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (FR_LIKELY(!g_critical_slow)) return true;
  __atomic_store_n(&t->critical, 0, __ATOMIC_RELEASE);
  return false;
}
FR_INLINE Quick quick_leave(Thread* t, bool done) {
  __atomic_store_n(&t->critical, 0, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (FR_UNLIKELY(!done)) return Quick::No;
  return FR_UNLIKELY(t->pending) ? Quick::Pending : Quick::Done;
}

// An access with critical sections of its own, of any size; up to `from` it is done.
void checked_access(Thread* t, uptr address, u64 size, AccessKind kind, Site site, uptr from);
FR_INLINE void checked_access(Thread* t, uptr address, u64 size, AccessKind kind, Site site) {
  checked_access(t, address, size, kind, site, address);
}
// One of a few bytes that has_seen_row does not know.
constexpr u64 kLongestRow = 256;
template <bool write> void checked_row(Thread* t, uptr address, u64 size, Site site);
// Whole cells whose life ends, and have not been written in this epoch; the site is made if it is needed.
void checked_free(Thread* t, uptr address, u64 size, Caller caller);

// A block of whole cells that the thread (null: nobody knows which) has just allocated: what is ordered before the allocation may stay. Inside a critical
// section.
FR_COLD void forget_last_life(Thread* t, uptr address, u64 size);
FR_INLINE void memory_allocated(Thread* t, uptr address, u64 size) {
  if (FR_UNLIKELY(!size)) return;
  if (FR_UNLIKELY(!t || !fasttrack::is_all_ordered(*t, address, size) ||
                  may_have_meta(address, min<u64>(size, kBlockBytes))))
    forget_last_life(t, address, size);
}
// `count` elements of access.size bytes; the first is at access.address, the others `stride` bytes apart (a signed number: addresses wrap).
void checked_strided(Thread* t, const Access& access, u64 stride, u64 count);

} // namespace footrace
