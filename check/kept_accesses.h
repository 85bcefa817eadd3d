// What is left of old logs, of all threads, in order of age.
//
// It lies in one array, in *chunks*: segments of one thread. A segment that is turned is copied whole, and nothing is asked about it. When the array is full, a
// sweep asks of each access whether the shadow still names it, and moves together what it does; so an access that has lasted for long is asked a few times,
// and one that nobody can ask for any more once. Where a part of a chunk shows that a sweep would make little room, the chunk stays as it is. If little of what
// was kept since the last sweep is named (the program goes over the same data again and again), or more than there is room for, keeping does not pay: a
// thread keeps one segment in two, then in four... until that changes. If there is no room, those between the oldest and the latest go: what was
// written at the start and never again stays.
// A report goes through the chunks that may have what it looks for, from the latest to the oldest. Their addresses are found when somebody first asks.
// Concurrency: the caller holds the lock of the logs, but for what is sought.
#pragma once

#include "check/log_segment.h"
#include "check/still_names.h"

namespace footrace {

// Accesses that were met, and are looked for next (log_seek).
struct Sought {
  uptr begin, end;
  Epoch epoch;
};
constexpr u32 kMostSought = 64;
void visit_sought(void (*fn)(void*, Epoch&), void* argument);

// At most so many entries; more than that are dropped at once. 0: none is kept.
void limit_kept(u64 most);
constexpr u32 kMostInChunk = kMostInSegment;
void keep_segment(const Segment& segment); // epochs of one slot

u32 keep_one_in(); // segments

// Of log.cpp:
void wait_for_tellers();
void find_live(const ThreadState* (&in_slot)[kSlots]);

void find_kept(WantedAccesses& wanted);

void visit_kept(void (*fn)(void*, LogEntry&), void* argument);
template <class Fn> void for_each_kept(Fn fn) {
  visit_kept([](void* f, LogEntry& e) { (*static_cast<Fn*>(f))(e); }, &fn);
}
void add_kept_counts(LogCounts& counts);

} // namespace footrace
