// `footrace bench --scaling`: does the cost of a unit of work stay the same as the work grows?
#pragma once

#include "bench/subject.h"

namespace footrace::bench {

// False, after saying why, if nothing could be measured.
bool measure_scaling(Workshop& workshop, Report& report);

} // namespace footrace::bench
