// Many commands, a few at a time.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace footrace::driver {

struct Job {
  std::vector<std::string> command;
};

// Runs all of them, at most `limit` at once, and calls `done` as each ends: its index, and its exit code as of run_and_wait (128 + n
// for signal n; 127 if it could not be started).
void run_jobs(const std::vector<Job>& jobs, unsigned limit, const std::function<void(size_t, int)>& done);

} // namespace footrace::driver
