// Options of `run` and `check` that reach the runtime through FOOTRACE_OPTIONS.
#pragma once

#include "driver/installation.h"

#include <string>
#include <vector>

namespace footrace::driver {

struct RunOptions {
  std::string findings, log_path, suppressions; // files
  std::string options;                          // name=value:name=value
  std::string record;                           // the recorder's socket; not on the command line
  std::string stats_file;                       // gets the counters of every process; not on the command line
  bool stats = false;
  bool record_all = false;       // not only the checks that were not over at once
  bool keeps_exit_codes = false; // of programs with races
};

// If arguments[i] is one of ours, takes it and its value, moves i past them and returns true. `code` is not 0
// if it was wrong.
bool take_run_option(const std::vector<std::string>& arguments, size_t& i, RunOptions& options, int& code);

// The value of FOOTRACE_OPTIONS: the user's own first, so that what is on the command line wins.
std::string runtime_options(const std::string& inherited, const RunOptions& options);

// Whether the user wants the counters, which are then not to be had by us.
bool wants_counters(const RunOptions& options);

// Makes sure that the files can be written, before the program runs for hours; creates the file of findings.
// Returns 0, or the exit code after saying what is wrong.
int prepare_output_files(const RunOptions& options);

// Sets the environment for the program.
void export_run_options(const Installation& installation, const RunOptions& options);

} // namespace footrace::driver
