#include "runtime/access.h"

#include "runtime/history_add.h"
#include "runtime/report.h"
#include "runtime/runtime.h"
#include "runtime/site_table.h"
#include "shadow/mapping.h"

namespace footrace {

using fasttrack::AccessKind;

void access_in_critical(Thread* t, uptr address, u64 size, AccessKind kind, SiteId site,
                        FoundConflicts& found) {
  // Before the shadow changes: whoever meets our epoch there must find the stack.
  history_add(t, address, size, site);
  if (!fasttrack::access(*t, address, size, kind, site, FoundConflicts::sink, &found).changed)
    history_undo(t);
}

void report_found(Thread* t, uptr address, u64 size, AccessKind kind, SiteId site,
                  const FoundConflicts& found) {
  for (u32 i = 0; i < found.count; ++i) report_conflict(t, {address, size, kind, site}, found.list[i]);
}

// Plain accesses.
void checked_access(Thread* t, uptr address, u64 size, AccessKind kind, SiteId site) {
  if (t->ignore || !size) return;
  if (fasttrack::seen_in_this_epoch(*t, address, size, fasttrack::may_write(kind))) return;
  FoundConflicts found;
  {
    Critical critical(t);
    access_in_critical(t, address, size, kind, site, found);
  }
  if (FR_UNLIKELY(found.count)) report_found(t, address, size, kind, site, found);
}

void memory_fresh(uptr address, u64 size) {
  if (!size) return;
  Critical critical(self());
  fasttrack::forget(address, size);
  sync_forget(address, size);
}

void memory_gone(uptr address, u64 size) {
  memory_fresh(address, size);
  if (size < 64 << 10) return;
  discard_pages(reinterpret_cast<uptr>(cell_of(round_up(address, 8))), round_down(size, 8) * 2);
  discard_pages(reinterpret_cast<uptr>(sites_of(round_up(address, 8))), round_down(size, 8));
  discard_pages(reinterpret_cast<uptr>(meta_of(round_up(address, 8))), round_down(size, 8) / 2);
}

} // namespace footrace
