// One cell, one access: what most slow paths come to. Inside a critical section.
// One function for all sizes of accesses, out of line: a copy in every entry point is 100 KB of code that real programs go through at random.
#pragma once

#include "detectors/fasttrack/access.h"
#include "runtime/thread.h"

namespace footrace {

// What the history gets to know before the first step of an access changes the shadow.
struct NotedAccess {
  uptr address;
  u64 size;
  SiteId site;
  bool is_noted = false;
};

// True if that is all there is to do: the access is no news in this epoch, or races with nothing and was recorded in one step.
template <fasttrack::AccessKind kind>
bool simple_access(Thread* t, uptr cell_address, u64 mask, NotedAccess& access);

} // namespace footrace
