// From a conflict to a report: collects what is known about both accesses and hands it to the reporter
// process, which symbolises and prints outside the user's process. Without a reporter the same data is
// printed here, as plain text. Concurrency: one report at a time. Never touches the user's heap or stdio;
// keeps errno.
#pragma once

#include "check/rules.h"
#include "runtime/thread.h"

namespace footrace {

struct CurrentAccess {
  uptr address;
  u64 size;
  AccessKind kind;
  Site site; // 0: the log knows
  // Of an access that is over, or that waited for its check: thread, place, stack and locks are in the log. None: the caller is making it.
  Epoch epoch = {};
};

// Called by the thread that made the access, for every conflict; tells about each race once.
void report_conflict(Thread* t, const CurrentAccess& access, const fasttrack::Conflict& conflict);

u64 races_reported();   // shown to the user
u64 races_suppressed(); // by the suppression file

// The last words to the reporter, at exit; waits until it has written everything. Later conflicts are
// ignored.
void finish_reporting();
// In the child of fork: forget the parent's reporter and its counts.
void report_after_fork();

} // namespace footrace
