#pragma once

#include "clocks/vector_clock.h"

namespace footrace {

// While the world is stopped.
void visit_fiber_clocks(void (*fn)(void*, Clock&), void* argument);

} // namespace footrace
