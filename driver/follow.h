// `footrace run` on a program that is not instrumented itself but starts others that are: ctest, make, a script.
#pragma once

#include "driver/run_options.h"

#include <string>
#include <vector>

namespace footrace::driver {

// Runs the command with a file of findings for all processes, and sums up at the end. Returns the command's exit code; 66 if it
// succeeded and there are races (with a baseline: new ones); 2 if nothing instrumented ran.
int follow(const Installation& installation, const std::vector<std::string>& command, RunOptions options,
           const std::string& baseline);

} // namespace footrace::driver
