// The steps that need no call (check/quick.h), compiled as the core's sources are, with scheduling points.
#pragma once

#include "check/rules.h"

namespace footrace::model {

// What an entry point does of an access before it calls the general step. Returns the bytes done, of which some may wait.
u64 make_quickly(ThreadState& t, uptr address, u64 size, AccessKind kind, fasttrack::Found& found);

} // namespace footrace::model
