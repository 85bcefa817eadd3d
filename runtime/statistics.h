// Counters that the options stats=1 and stats_file= print at exit, one "footrace-stats: NAME VALUE" per line.
// Fast paths are not counted: that would cost more than they do. The child of a fork counts on from its
// parent's numbers.
#pragma once

#include "runtime/thread.h"

namespace footrace {

// A thread ends: its counters stay. Under the registry's lock.
void add_to_statistics(const Thread& t);
// At the end of the process, once.
void print_statistics();

} // namespace footrace
