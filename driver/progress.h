// How far `footrace run` is, in the last line of the terminal, while the programs that it follows write above.
//
// The lines above become the terminal's scrolling region, so that neither writes into the other. Nothing is written unless standard error is a terminal
// that can do that; colour is never used.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <thread>

namespace footrace::driver {

struct ProgressFiles {
  std::string findings;
  std::uintmax_t findings_offset = 0;
  std::string counters;        // of the processes that have ended (driver/counters.h)
  std::set<std::string> known; // fingerprints of the baseline
  bool has_baseline = false;
};

// From its making to its end.
class Progress {
public:
  explicit Progress(ProgressFiles files);
  ~Progress();
  Progress(const Progress&) = delete;

private:
  void watch(std::stop_token stop);

  ProgressFiles files_;
  std::jthread watcher_;
};

// Whether standard error is a terminal with cursor movement.
bool may_show_progress();

} // namespace footrace::driver
