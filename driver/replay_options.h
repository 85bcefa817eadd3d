// The command line of `footrace replay`.
#pragma once

#include "detectors/common/detector.h"
#include "driver/commands.h"
#include "replay/compose.h"

namespace footrace::driver {

struct ReplayOptions {
  std::vector<std::string> files; // one trace, or with --merge the findings of shards
  std::vector<const detectors::Description*> detectors;
  std::vector<replay::Choice> compositions;
  std::string findings;
  detectors::Partition partition;
  bool writes_read = false;
  bool merge = false, table = false, times = true, text = true;
};

// Returns 0, or the exit code after saying what is wrong.
int parse_replay_options(const Arguments& arguments, ReplayOptions& options);

} // namespace footrace::driver
