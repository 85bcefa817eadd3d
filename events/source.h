// A trace as a stream: what a reader of any form of traces (text, binary) offers to whoever consumes events. One pass, one event at a time, in memory
// that does not grow with the trace: what a reader keeps is the tables of sites, stacks and threads.
// Errors are values: next() is false at the end and at an error, and error() tells which of the two it was.
#pragma once

#include "events/event.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace footrace {

// One function at one place of the source. What is not known is empty or 0; a frame that nobody has symbolised has `module` and `offset` only.
struct TraceFrame {
  std::string function, file;
  u32 line = 0, column = 0;
  std::string module; // executable or library
  u64 offset = 0;     // address inside `module`
  friend bool operator==(const TraceFrame&, const TraceFrame&) = default;
};

// Where in the program: Event::site. Innermost first; more than one frame where functions were inlined.
struct TraceSite {
  std::vector<TraceFrame> frames;
};

struct TraceThread {
  std::string name;
  u64 os_id = 0;
};

struct TraceError {
  std::string where; // "run.std:3", "run.ftr, byte 4711"
  std::string reason;
};

class EventSource {
public:
  virtual ~EventSource() = default;
  EventSource() = default;
  EventSource(const EventSource&) = delete;
  EventSource& operator=(const EventSource&) = delete;

  // The next event. False: the trace is over, or error() says why it cannot be read any further.
  virtual bool next(Event& event) = 0;
  const std::optional<TraceError>& error() const { return error_; }

  // What the trace knows of the numbers in the events that were read so far; null: nothing. A pointer is good until the next call of next().
  virtual const TraceSite* site(u32 /*number*/) const { return nullptr; }
  // Event::stack: the sites of the calls that led to the event's own site, innermost first.
  virtual const std::vector<u32>* stack(u32 /*number*/) const { return nullptr; }
  virtual const TraceThread* thread(u32 /*number*/) const { return nullptr; }
  // A write may stand for a read of the same bytes before it (`++x`), as where one check covers both. True unless the reader knows better: it costs
  // predictive detectors some races, and the opposite would cost them their word.
  virtual bool may_merge_reads() const { return true; }
  // Of the program that was traced; empty: unknown.
  virtual std::string program() const { return {}; }
  // At the end: why this is not all of the run, for people; empty if it is, or if the form cannot tell.
  virtual std::string unfinished() const { return {}; }

protected:
  bool fail(std::string where, std::string reason) {
    error_ = TraceError{std::move(where), std::move(reason)};
    return false;
  }

private:
  std::optional<TraceError> error_;
};

} // namespace footrace
