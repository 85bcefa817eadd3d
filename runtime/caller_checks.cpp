// Checks that interceptors make. The site is looked up only when the access is news for this epoch.
#include "runtime/access.h"
#include "runtime/runtime.h"
#include "runtime/site_table.h"

namespace footrace {

using fasttrack::AccessKind;

static void check(Thread* t, Caller caller, uptr address, u64 size, AccessKind kind, SiteKind site) {
  if (t->ignore || fasttrack::seen_in_this_epoch(*t, address, size, fasttrack::may_write(kind))) return;
  checked_access(t, address, size, kind, pc_site(caller.pc, site, caller.function));
}

void check_read(Thread* t, Caller caller, const void* address, u64 size) {
  check(t, caller, reinterpret_cast<uptr>(address), size, AccessKind::Read, SiteKind::Read);
}
void check_write(Thread* t, Caller caller, const void* address, u64 size) {
  check(t, caller, reinterpret_cast<uptr>(address), size, AccessKind::Write, SiteKind::Write);
}
void check_free(Thread* t, Caller caller, uptr address, u64 size) {
  check(t, caller, address, size, AccessKind::Write, SiteKind::Free);
}

} // namespace footrace
