// Checks that interceptors make.
#include "runtime/access.h"
#include "runtime/recording.h"
#include "runtime/runtime.h"
#include "runtime/site_table.h"

namespace footrace {

template <bool write> static void check(Thread* t, Caller caller, uptr address, u64 size, SiteKind kind) {
  if (t->ignore || !size) return;
  if (is_recording_all() && kind != SiteKind::Free)
    record_access(t, address, size, fasttrack::kPlain<write>, pc_site(caller.pc, kind, caller.function));
  const bool is_row = size <= kLongestRow;
  if (is_row && fasttrack::has_seen_row(*t, address, size, write)) return; // needs no site then
  const Site site = pc_site(caller.pc, kind, caller.function);
  if (is_row)
    checked_row<write>(t, address, size, site);
  else
    checked_access(t, address, size, fasttrack::kPlain<write>, site);
}

FR_COLD static void settle_now(Thread* t) {
  Critical critical(t);
  settle_waiting(t, t);
}

void check_read(Thread* t, Caller caller, const void* address, u64 size) {
  check<false>(t, caller, reinterpret_cast<uptr>(address), size, SiteKind::Read);
}
void check_write(Thread* t, Caller caller, const void* address, u64 size) {
  check<true>(t, caller, reinterpret_cast<uptr>(address), size, SiteKind::Write);
}
FR_COLD static void record_free(Thread* t, Caller caller, uptr address, u64 size) {
  if (!size) return;
  record_event(t, {.kind = EventKind::Free, .target = address, .extent = size},
               pc_site(caller.pc, SiteKind::Free, caller.function));
}

// The block's life ends here: nothing of it may wait. What is behind its last byte in that cell belongs to nobody.
void check_free(Thread* t, Caller caller, uptr address, u64 size) {
  if (FR_UNLIKELY(t->waiting.used)) settle_now(t);
  if (is_recording()) record_free(t, caller, address, size);
  const u64 bytes = round_up(address + size, 8) - address;
  if (FR_UNLIKELY(address % 8)) return check<true>(t, caller, address, bytes, SiteKind::Free);
  if (!t->ignore && size && !fasttrack::has_written_cells(*t, address, bytes))
    checked_free(t, address, bytes, caller);
}

// As in atomics.cpp, without a clock: the object orders nothing.
void check_atomic_read(Thread* t, Caller caller, const void* address, u64 size) {
  if (t->ignore) return;
  uptr a = reinterpret_cast<uptr>(address);
  const Site site = pc_site(caller.pc, SiteKind::AtomicLoad, caller.function);
  if (is_recording()) record_atomic(t, EventKind::AtomicLoad, u32(MemoryOrder::Relaxed), a, size, site);
  {
    Critical critical(t);
    access_in_critical(t, {a, size, AccessKind::AtomicRead, site}, a);
  }
  if (FR_UNLIKELY(t->found.count)) report_found(t);
}

} // namespace footrace
