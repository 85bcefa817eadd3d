// From a conflict to a report: collects what is known about both accesses and hands it to the reporter
// process, which symbolises and prints outside the user's process. Without a reporter the same data is
// printed here, as plain text. Concurrency: one report at a time. Never touches the user's heap or stdio;
// keeps errno.
#pragma once

#include "check/rules.h"
#include "runtime/thread.h"

namespace footrace {

// Called by the thread that made the access, for every conflict; tells about each race once. Its epochs may be renumbered meanwhile: they are looked at in
// critical sections only, and what they name is kept instead.
void report_conflict(Thread* t, const FoundConflict& found);

// Called before halt_on_error ends the process.
void set_death_callback(void (*callback)());

u64 races_reported();   // shown to the user
u64 races_suppressed(); // by the suppression file

// The last words to the reporter, at exit; waits until it has written everything. Later conflicts are
// ignored.
void finish_reporting();
// In the child of fork: forget the parent's reporter and its counts.
void report_after_fork();

} // namespace footrace
