// The command line of `footrace report`.
#pragma once

#include "driver/commands.h"

#include <string>
#include <utility>
#include <vector>

namespace footrace::driver {

struct ReportOptions {
  std::vector<std::string> files;
  std::vector<std::pair<std::string, std::string>> outputs; // format, file; "-" is standard output
  std::string baseline, suppressions, root;
  std::string database, commit;        // of runs over time
  std::string suppress, reason, until; // suppress: the beginning of a fingerprint
  bool all = false;
};

// Returns 0, or the exit code after saying what is wrong. `formats`: names that are options with a file.
int parse_report_options(const Arguments& arguments, const std::vector<std::string>& formats,
                         ReportOptions& options);

// Without files: findings.jsonl of this folder, if there is one.
int use_default_file(std::vector<std::string>& files);

} // namespace footrace::driver
