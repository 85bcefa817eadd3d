// Builds programs with tools into a cache: DIR/<tool>/<program>. A program is built again when its sources,
// the tool, or the command has changed.
#pragma once

#include "bench/progress.h"
#include "bench/tools.h"

#include <string>
#include <vector>

namespace footrace::bench {

struct BuildJob {
  std::string source;
  std::string program; // file to make
  const Tool* tool;
  std::vector<std::string> flags;
};

// Two at a time. False, after saying what failed, if any did.
bool build_all(const std::vector<BuildJob>& jobs, Progress& progress);

} // namespace footrace::bench
