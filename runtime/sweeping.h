// When the pools of check/ are to be swept (check/sweep.h): the world stops, and all memory of the program is looked at.
#pragma once

#include "check/sweep.h"
#include "runtime/thread.h"

namespace footrace {

FR_COLD void sweep_now(Thread* me); // not inside a critical section

FR_INLINE void sweep_if_due(Thread* me) {
  if (FR_UNLIKELY(sweep_is_due())) sweep_now(me);
}

} // namespace footrace
