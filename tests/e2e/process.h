// Runs one command with its output in files and a time limit.
#pragma once

#include <string>
#include <vector>

namespace footrace::e2e {

struct Command {
  std::vector<std::string> arguments;   // [0] is the program
  std::vector<std::string> environment; // NAME=VALUE, added to our own
  std::string stdout_file, stderr_file;
  int timeout_seconds = 60;
  bool one_processor = false; // what `taskset -c N` does, with the first processor that we may use
};

struct Outcome {
  int exit_code = -1; // when it ended by itself
  int signal = 0;     // when a signal ended it
  bool timed_out = false;
  std::string text() const;
};

Outcome run_process(const Command& command);

std::string read_file(const std::string& path);

} // namespace footrace::e2e
