// The part of the history that only context.cpp needs; the rest is in context.h.
#pragma once

#include "runtime/context.h"

namespace footrace {
void history_start(Context& c, Tid tid);
void history_finish(Context& c, Tid tid, u64 first_clock, u64 last_clock);
} // namespace footrace
