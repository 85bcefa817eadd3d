#include "runtime/access.h"

#include "runtime/history_add.h"
#include "runtime/report.h"
#include "runtime/runtime.h"
#include "runtime/site_table.h"
#include "shadow/mapping.h"

namespace footrace {

using fasttrack::AccessKind;

namespace {
// Reports tell about a pair of sites once, so one conflict of each kind and site is enough.
struct Finder {
  Thread* t;
  FoundConflict access;
  static void sink(void* self, const fasttrack::Conflict& conflict) {
    Finder& finder = *static_cast<Finder*>(self);
    FoundConflicts& found = finder.t->found;
    for (u32 i = 0; i < found.count; ++i) {
      const FoundConflict& f = found.list[i];
      if (f.conflict.previous_site == conflict.previous_site &&
          f.conflict.previous_kind == conflict.previous_kind && f.site == finder.access.site &&
          f.address == finder.access.address)
        return;
    }
    if (found.count == FoundConflicts::kMost) return;
    finder.access.conflict = conflict;
    found.list[found.count++] = finder.access;
  }
};
} // namespace

u64 access_in_critical(Thread* t, uptr address, u64 size, uptr from, AccessKind kind, SiteId site) {
  // Before the shadow changes: whoever meets our epoch there must find the stack.
  history_add(t, address, size, site);
  Finder finder = {t, {address, size, kind, site, {}}};
  fasttrack::AccessResult result =
      fasttrack::access(*t, from, address + size - from, kind, site, Finder::sink, &finder, true);
  if (!result.changed) history_undo(t);
  return result.done;
}

void report_found(Thread* t) {
  // Taken out first: a signal handler may come between and find more.
  while (t->found.count) {
    FoundConflict f = t->found.list[--t->found.count];
    report_conflict(t, {f.address, f.size, f.kind, f.site}, f.conflict);
  }
}

void checked_access(Thread* t, uptr address, u64 size, AccessKind kind, SiteId site) {
  if (t->ignore || !size) return;
  if (fasttrack::seen_in_this_epoch(*t, address, size, fasttrack::may_write(kind))) return;
  for (uptr from = address, end = address + size; from < end;) {
    {
      Critical critical(t);
      from += access_in_critical(t, address, size, from, kind, site);
    }
    if (FR_UNLIKELY(t->found.count)) report_found(t);
  }
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
  uptr begin = round_up(address, 8);
  u64 whole = round_down(address + size, 8) - begin;
  discard_pages(reinterpret_cast<uptr>(cell_of(begin)), whole * 2);
  discard_pages(reinterpret_cast<uptr>(sites_of(begin)), whole);
  discard_pages(reinterpret_cast<uptr>(meta_of(begin)), whole / 2);
}

} // namespace footrace
