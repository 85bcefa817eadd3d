// The report as files. docs/benchmarks.md explains their fields.
#pragma once

#include "bench/results.h"

namespace footrace::bench {

std::string as_json(const Report& report);
std::string as_html(const Report& report); // one file that needs nothing else
// A Markdown page in which this kind of run (programs, idioms, real, scaling) has its section replaced or added; what
// other runs wrote stays.
std::string with_section(const std::string& page, const Report& report);

} // namespace footrace::bench
