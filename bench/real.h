// `footrace bench --real`: programs that people use, from Debian's source packages. Recipes are data
// (bench/real.def).
#pragma once

#include "bench/subject.h"

namespace footrace::bench {

std::vector<std::string> real_program_names();

// Programs that cannot be had or built are skipped with a message. False if nothing could be measured.
bool measure_real(Workshop& workshop, Report& report);

} // namespace footrace::bench
