// Summaries -> races: two accesses that conflict (conflict.h), in methods that may run at the same time (concurrency.h),
// and a reason to believe that the memory is shared. One race per access that has to be repaired.
#pragma once

#include "scan/domain/analysis.h"
#include "scan/domain/candidates.h"
#include "scan/domain/concurrency.h"
#include "scan/domain/doubts.h"

#include <map>
#include <string>
#include <vector>

namespace footrace::scan::domain {

enum class RaceRule {
  UnprotectedWrite, // a write without a lock, against an access with one
  ReadWrite,        // a read without a lock, against a write
  WriteWrite,       // neither write has a lock
  WrongLock,        // both have locks, but none in common
  SharedLock,       // a write with a lock held in shared mode only
};

struct Race {
  RaceRule rule = RaceRule::UnprotectedWrite;
  Side weak;       // the access to be repaired
  Side other;      // what it races with
  std::string why; // it is believed that the two run at the same time
};

// What became of pairs that conflict.
struct PairingCounts {
  unsigned reported = 0, duplicates = 0;
  std::map<Doubt, unsigned> doubted; // of what was compared: most of what is in order for certain is not
};

std::vector<Race> pair(const il::Program& program, const Summaries& summaries, const Rules& rules = {},
                       PairingCounts* counts = nullptr, Explanation* explanation = nullptr);

// The same, and RacerDX's reports are always among RacerD's (section 7.1): of a method with more accesses than are kept, each domain leaves out
// others, so those of RacerDX are then added.
std::vector<Race> find_races(const il::Program& program, const Summaries& summaries, const Options& options,
                             PairingCounts* counts = nullptr, Explanation* explanation = nullptr);

std::string_view to_text(RaceRule rule); // "unprotected-write"

} // namespace footrace::scan::domain
