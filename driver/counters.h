// What instrumented processes have counted: the file of the runtime's option stats_file, to which each one appends when it ends.
#pragma once

#include <cstdint>
#include <string>

namespace footrace::driver {

struct Counters {
  std::size_t processes = 0;
  std::uint64_t threads = 0, reported = 0, suppressed = 0;
};

Counters counters_in(const std::string& text);
Counters read_counters(const std::string& file); // all zero if there is none

} // namespace footrace::driver
