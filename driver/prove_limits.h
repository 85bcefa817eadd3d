// Limits of time and memory for work that may take any amount of both: it runs in a process of its own, which leaves notes of how far it has come
// and is ended when it passes a limit.
#pragma once

#include <functional>
#include <string>

namespace footrace::driver {

struct Limits {
  unsigned seconds = 0;        // 0: no limit
  unsigned long megabytes = 0; // resident; 0: no limit
  bool any() const { return seconds || megabytes; }
};

// What the work leaves for whoever ends it. Each note takes the place of the one before, whole or not at all.
class Notes {
public:
  explicit Notes(std::string file) : file_(std::move(file)) {}
  void leave(const std::string& stage, const std::string& text) const;
  void read(std::string& stage, std::string& text) const;

private:
  std::string file_;
};

enum class Passed { Nothing, Time, Memory };

struct LimitedRun {
  Passed passed = Passed::Nothing;
  int code = 0; // of the work; 128 + n if signal n ended it
};

// Runs the work in a child process and returns how it ended.
LimitedRun run_within(const Limits& limits, const std::function<int()>& work);

} // namespace footrace::driver
