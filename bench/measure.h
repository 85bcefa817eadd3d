// Running one program and taking its time, CPU time and peak memory.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace footrace::bench {

struct Measurement {
  double wall = 0, cpu = 0; // seconds
  double peak = 0;          // bytes
  int exit_code = 0;        // 128 + n: killed by signal n; 124: took too long
  std::string output, errors;
};

struct RunRequest {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment = {}; // added; detectors' options are cleared
  std::string folder = {};                                           // to run in; "" is the current one
  unsigned timeout = 600;                                            // seconds
};

constexpr int kTimedOut = 124;

// `measure` is libexec/footrace/footrace-measure; files of the run go to `scratch`.
Measurement run_measured(const std::string& measure, const std::string& scratch, const RunRequest& request);

// "NAME VALUE" lines, with or without a prefix that ends in ": ".
std::map<std::string, double> read_counters(const std::string& file);
std::string read_text(const std::string& file);

} // namespace footrace::bench
