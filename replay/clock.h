// What is measured and how: CPU time of this thread, over batches of events that are large against the cost of asking.
#pragma once

#include "events/source.h"

#include <ctime>

namespace footrace::replay {

inline double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

// False: the trace is over, or has an error; what came before is in the batch.
inline bool read_batch(EventSource& source, std::vector<Event>& batch) {
  constexpr size_t kBatch = 1 << 14;
  batch.clear();
  bool more = true;
  for (Event e; batch.size() < kBatch && (more = source.next(e));) batch.push_back(e);
  return more;
}

} // namespace footrace::replay
