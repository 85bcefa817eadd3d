// The recording runtime: checks nothing and writes everything down (log_format.h). Linked in place of the detector by
// `--runtime=validate`.
// Concurrency: a thread writes only to chunks that it was given; giving one out is a single fetch-and-add.
#pragma once

#include "log_format.h"

namespace footrace::validation {

// The next event of this thread, zeroed but for its type.
Event& record(EventType type);

void record_acquire(const char* name);
void record_release(const char* name);
void record_forget(const void* address, u64 size);
void record_end();

} // namespace footrace::validation
