// A second stage behind a detector (PLDI'09, section 5.2): an analysis of more than races, which need not see accesses that are free of
// races. It gets all events but those accesses.
#pragma once

#include "detectors/common/detector.h"

namespace footrace::detectors {

// The step that shows the violation is the event that the checker was given.
struct Violation {
  bool has_block = false; // an atomic block that is not; began with:
  Event begin;
  u64 begin_index = 0;
  const char* why = "";
};

class Checker {
public:
  virtual ~Checker() = default;
  Checker() = default;
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  virtual void step(const Event& event, u64 index, std::vector<Violation>& violations) = 0;
  virtual Cost cost() const = 0;
};

struct CheckerDescription {
  const char* name;
  const char* rule; // of its findings
  const char* promise;
  std::unique_ptr<Checker> (*make)();
};

} // namespace footrace::detectors
