// The other side of a recorded run: takes connections of instrumented processes, and writes a trace of each. The first one has the name that was asked for; others
// (children of fork, further programs that the first one starts) get .PID added to it.
// Concurrency: a thread of its own does everything between start and finish.
#pragma once

#include "base/types.h"

#include <memory>
#include <string>
#include <vector>

namespace footrace::record {

struct RecordedFile {
  std::string path, error; // empty: none
  u64 events = 0, bytes = 0;
  int process = 0;
  bool is_recorded = false; // it has rings
  bool is_complete = false; // the process has come to its own end
};

class Recorder {
public:
  Recorder();
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Programs that are started from now on may connect to the socket. Empty, or what is wrong.
  std::string start(const std::string& socket_path, const std::string& output);
  // What has come is written. Called when the program has ended.
  std::vector<RecordedFile> finish();

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace footrace::record
