// Which of the races that were found are reported: one for each access that has to be repaired, the one that says most.
#pragma once

#include "scan/domain/pairing.h"

#include <string>
#include <vector>

namespace footrace::scan::domain {

struct Found {
  const Side* weak; // the access to be repaired
  const Side* other;
  std::string why;
};

// It comes before the other; of two that are about the same access, only the first may be reported.
bool says_more(const Found& a, const Found& b);
// What is left out is counted as a duplicate. In the order of the source.
std::vector<Race> best_of(std::vector<Found> races, const Concurrency& concurrency, PairingCounts& counts);

} // namespace footrace::scan::domain
