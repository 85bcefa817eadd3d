// The pools of sets and of records of bytes, and how what is not used any more is found again.
#pragma once

#include "check/thread_state.h"

namespace footrace {

// Zeroed or used before: lines of sets one behind the other, at least `lines`.
Chunk take_set_lines(u32 lines);
Chunk take_byte_records();

} // namespace footrace
