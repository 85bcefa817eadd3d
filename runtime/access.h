// The slow path of every check: history, FastTrack's rules, reports.
#pragma once

#include "detectors/fasttrack/access.h"
#include "runtime/thread.h"

namespace footrace {

// Applies the rules inside the caller's critical section, up to the first cell with a conflict; returns the bytes done. Conflicts wait in
// the thread (Thread::found) until report_found, outside of it: a report waits for another process.
// `from` is where to go on in [address, address + size).
u64 access_in_critical(Thread* t, uptr address, u64 size, uptr from, fasttrack::AccessKind kind, SiteId site);
void report_found(Thread* t);
// Both, for the whole access, with critical sections of their own. Plain accesses only.
void checked_access(Thread* t, uptr address, u64 size, fasttrack::AccessKind kind, SiteId site);

} // namespace footrace
