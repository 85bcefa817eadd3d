// Measuring one program under all tools, in turn, so that a machine that slows down for a while hits all alike.
#pragma once

#include "bench/measure.h"
#include "bench/progress.h"
#include "bench/results.h"
#include "bench/tools.h"

#include <functional>

namespace footrace::bench {

struct Workshop {
  const Options& options;
  driver::Installation installation;
  std::vector<Tool> tools;
  Progress progress;
  std::string scratch() const { return options.build_dir + "/scratch"; }
  Measurement run(const RunRequest& request) {
    return run_measured(installation.measure, scratch(), request);
  }
};

struct Subject {
  std::string program;
  Group group;
  unsigned threads;
  std::function<RunRequest(const Tool&)> request;
  // What is wrong with the run of the tool; "" if nothing.
  std::function<std::string(const Tool&, const Measurement&)> judge;
};

// One row per tool, base first, ratios filled. Presets print their counters in the first run. A tool whose run
// fails, or takes long, is not run again.
std::vector<Row> measure_subject(Workshop& workshop, const Subject& subject);

// Fails every row whose figures are not there; says it at once.
void fail(Workshop& workshop, Row& row, const std::string& why);

} // namespace footrace::bench
