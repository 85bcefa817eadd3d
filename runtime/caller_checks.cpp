// Checks that interceptors make.
#include "runtime/access.h"
#include "runtime/runtime.h"
#include "runtime/site_table.h"

namespace footrace {

static void check(Thread* t, Caller caller, uptr address, u64 size, AccessKind kind, SiteKind site) {
  if (t->ignore || is_short_and_seen(t, address, size, may_write(kind))) return; // needs no site then
  checked_access(t, address, size, kind, pc_site(caller.pc, site, caller.function));
}

static void settle_now(Thread* t) {
  if (FR_LIKELY(!t->waiting.used)) return;
  Critical critical(t);
  settle_waiting(t, t);
}

void check_read(Thread* t, Caller caller, const void* address, u64 size) {
  check(t, caller, reinterpret_cast<uptr>(address), size, AccessKind::Read, SiteKind::Read);
}
void check_write(Thread* t, Caller caller, const void* address, u64 size) {
  check(t, caller, reinterpret_cast<uptr>(address), size, AccessKind::Write, SiteKind::Write);
}
// The block's life ends here: nothing of it may wait, nor the bytes at its end.
void check_free(Thread* t, Caller caller, uptr address, u64 size) {
  settle_now(t);
  check(t, caller, address, size, AccessKind::Write, SiteKind::Free);
  settle_now(t);
}

// As in atomics.cpp, without a clock: the object orders nothing.
void check_atomic_read(Thread* t, Caller caller, const void* address, u64 size) {
  if (t->ignore) return;
  uptr a = reinterpret_cast<uptr>(address);
  const Site site = pc_site(caller.pc, SiteKind::AtomicLoad, caller.function);
  {
    Critical critical(t);
    access_in_critical(t, {a, size, AccessKind::AtomicRead, site}, a);
  }
  if (FR_UNLIKELY(t->found.count)) report_found(t);
}

} // namespace footrace
