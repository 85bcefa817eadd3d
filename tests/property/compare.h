// FastTrack against the oracle on one trace, byte by byte. FastTrack promises the first race of every byte,
// so for each byte the first racing access must be the same in both, and a byte without race is never told;
// from then on the byte is left alone until it is allocated again. Its neighbours are not: they must stay
// exact. The previous access that FastTrack names must be one that really races with this one: same thread
// and kind. It may also tell of a race with an access of an earlier life of the byte, if that is ordered before the allocation.
#pragma once

#include "tests/property/fasttrack_driver.h"

#include <optional>
#include <string>
#include <vector>

namespace footrace::property {

struct Difference {
  size_t event; // of the trace
  u64 address;
  std::string what;
};

struct Statistics {
  u64 traces = 0, events = 0, accesses = 0, quick = 0;  // quick: accesses that needed no general step
  u64 racy_traces = 0, racy_bytes = 0, late_traces = 0; // late: the first race is in the last quarter
  u64 kinds[kEventKinds] = {};
  u64 rules[kAccessRules] = {};
  u64 transitions[kTransitions] = {};
};

std::optional<Difference> compare(const std::vector<Event>& trace, Fault fault,
                                  Statistics* statistics = nullptr);

// The shortest trace that this can find by leaving out events and narrowing accesses, and that still differs.
std::vector<Event> shrink(std::vector<Event> trace, Fault fault);

} // namespace footrace::property
