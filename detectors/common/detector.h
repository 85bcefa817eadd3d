// What all detectors are to whoever replays a trace: a state, and a step (state, event) -> verdict. A step reads nothing but its event, so the same trace
// gives the same verdicts in every run.
#pragma once

#include "detectors/common/partition.h"
#include "events/event.h"

#include <memory>
#include <string>
#include <vector>

namespace footrace::detectors {

enum class AccessKind : u8 { Read, Write, AtomicRead, AtomicWrite };
constexpr u32 kAccessKinds = 4;

// Of an event that has_access. A free is a write of all that it frees, a compare-exchange that fails only reads.
constexpr AccessKind kind_of(EventKind kind) {
  switch (kind) {
  case EventKind::Read:
    return AccessKind::Read;
  case EventKind::AtomicLoad:
  case EventKind::AtomicCasFail:
    return AccessKind::AtomicRead;
  case EventKind::AtomicStore:
  case EventKind::AtomicRmw:
    return AccessKind::AtomicWrite;
  default:
    return AccessKind::Write;
  }
}
constexpr bool may_write(AccessKind k) { return k == AccessKind::Write || k == AccessKind::AtomicWrite; }
constexpr bool is_atomic(AccessKind k) { return k >= AccessKind::AtomicRead; }
constexpr bool may_conflict(AccessKind a, AccessKind b) {
  return (may_write(a) || may_write(b)) && !(is_atomic(a) && is_atomic(b));
}

// The earlier access of a race, as much of it as the detector knows. What it leaves open is found in the trace (replay/witness.h).
struct Previous {
  bool has_thread = false, has_kind = false;
  u32 thread = 0; // as the trace numbers it
  AccessKind kind = AccessKind::Read;
  u64 event = ~u64(0); // its number in the trace

  static Previous of(u32 thread, AccessKind kind) { return {true, true, thread, kind}; }
  friend bool operator==(const Previous&, const Previous&) = default;
};

struct Warning {
  u64 address = 0, size = 0; // the bytes of the access that race
  Previous previous;
  // Said at a later event than the access, which is the last one of this thread and kind before.
  bool is_deferred = false;
  u32 thread = 0;
  AccessKind kind = AccessKind::Read;
};

struct Verdict {
  std::vector<Warning> warnings;
  // The access touches memory of which the detector cannot say that it is free of races: what a prefilter passes on (section 5.2).
  bool may_race = false;

  void clear() { warnings.clear(), may_race = false; }
  void warn(u64 address, u64 size, const Previous& previous) {
    Warning warning;
    warning.previous = previous;
    warn(address, size, warning);
  }
  // What goes on where the last one ended is the same warning.
  void warn(u64 address, u64 size, const Warning& like) {
    may_race = true;
    if (!warnings.empty()) {
      Warning& last = warnings.back();
      const bool is_same = last.previous == like.previous && last.is_deferred == like.is_deferred &&
                           last.thread == like.thread && last.kind == like.kind;
      if (is_same && last.address + last.size == address) {
        last.size += size;
        return;
      }
    }
    warnings.push_back(like);
    warnings.back().address = address, warnings.back().size = size;
  }
};

// What Tables 2 and 3 and Figure 2 count.
struct RuleCount {
  const char* rule; // the paper's words
  u64 count;
};
struct Cost {
  u64 clocks_allocated = 0, clock_operations = 0; // O(n) operations: copies, joins, comparisons
  u64 memory = 0;                                 // bytes of the state at the end
  std::vector<RuleCount> rules;
};

class Detector {
public:
  virtual ~Detector() = default;
  Detector() = default;
  Detector(const Detector&) = delete;
  Detector& operator=(const Detector&) = delete;

  // Before the first step: a write of the trace may stand for a read before it. Only who asks what was read cares.
  virtual void assume_writes_read() {}
  // `verdict` is empty before.
  virtual void step(const Event& event, Verdict& verdict) = 0;
  // Behind the last event: what was put off.
  virtual void finish(Verdict& /*verdict*/) {}
  virtual Cost cost() const = 0;
};

enum class Guarantee : u8 {
  None,       // says nothing about races
  Precise,    // warns if and only if the trace has a race, at the first race of every byte
  Imprecise,  // may warn of what is no race, or miss one
  Predictive, // needs all writes in one place, so it cannot be given a part of memory; each warning is a race of this trace or of a reordering of it that the program can make
};

// A row of --help, and of the table that --detector=all prints.
struct Description {
  const char* name;
  Guarantee guarantee;
  const char* promise; // the guarantee in words
  std::unique_ptr<Detector> (*make)(Partition);
};

} // namespace footrace::detectors
