// Random feasible traces, made to reach the interesting states of a detector.
//
// Each trace has a profile: how many threads, locks and atomics, how small the memory, which operations are
// common. Sync operations are drawn freely; an access is drawn and, if the oracle says that it would race,
// kept only with the profile's tolerance. So discipline emerges from whatever synchronisation the trace
// happens to have: most traces stay race-free for long and the state that a detector must keep exact is rich
// when the first race comes.
#pragma once

#include "events/event.h"

#include <vector>

namespace footrace::property {

// Every address of a trace is below this.
constexpr u64 kMemory = 512;
// Some traces access whole stretches, mixed with bytes: where blocks are no larger, that drives them from coarse to fine and back.
constexpr u64 kStretch = 128;
// No thread has a number above this: numbers become tids.
constexpr u32 kMaxThread = 8000;

std::vector<Event> random_trace(u64 seed);

} // namespace footrace::property
