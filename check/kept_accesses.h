// What is left of old logs: accesses that the shadow still names, of all threads, in order of age.
//
// They lie in one array, in *chunks*: segments of one thread, each with the epochs and the addresses that it holds. A report goes through the
// chunks that may have what it looks for, from the latest to the oldest; so keeping an access costs no more than copying it. When the array is full, a sweep
// moves together what the shadow still names; if that is most of it, the oldest go, and for a while without being asked.
// Concurrency: the caller holds the lock of the logs.
#pragma once

#include "check/log_segment.h"

namespace footrace {

// At most so many entries; more than that are dropped at once. 0: none is kept.
void limit_kept(u64 most);
constexpr u32 kMostInChunk = kMostInSegment;
void keep_segment(const Segment& segment); // epochs of one slot

void find_kept(WantedAccess& wanted);

void visit_kept(void (*fn)(void*, LogEntry&), void* argument);
template <class Fn> void for_each_kept(Fn fn) {
  visit_kept([](void* f, LogEntry& e) { (*static_cast<Fn*>(f))(e); }, &fn);
}
void add_kept_counts(LogCounts& counts);

} // namespace footrace
