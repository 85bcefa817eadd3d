// The slow path of every check: history, FastTrack's rules, reports.
#pragma once

#include "detectors/fasttrack/access.h"
#include "runtime/thread.h"

namespace footrace {

// Conflicts are gathered inside the critical section and reported after it, since a report waits for another
// process.
struct FoundConflicts {
  static constexpr u32 kMost = 8;
  fasttrack::Conflict list[kMost];
  u32 count = 0;
  static void sink(void* self, const fasttrack::Conflict& conflict) {
    FoundConflicts& found = *static_cast<FoundConflicts*>(self);
    if (found.count < kMost) found.list[found.count++] = conflict;
  }
};

// Applies the rules inside the caller's critical section.
void access_in_critical(Thread* t, uptr address, u64 size, fasttrack::AccessKind kind, SiteId site,
                        FoundConflicts& found);
void report_found(Thread* t, uptr address, u64 size, fasttrack::AccessKind kind, SiteId site,
                  const FoundConflicts& found);
// Both, with their own critical section. Plain accesses only.
void checked_access(Thread* t, uptr address, u64 size, fasttrack::AccessKind kind, SiteId site);

} // namespace footrace
