// What `footrace prove` concludes, and why: one finding per pair of accesses that no stage could rule out.
#pragma once

#include "findings/finding.h"
#include "prove/analysis.h"

namespace footrace::prove {

enum class Outcome : std::uint8_t {
  RaceFree, // every pair was ruled out and everything was modelled
  Pairs,    // some pair was not ruled out
  Unknown,  // no pair is left, but something was not modelled or time ran out
};
const char* name_of(Outcome outcome);

struct Verdict {
  Outcome outcome = Outcome::Unknown;
  std::vector<findings::Finding> pairs; // likely ones first
  std::vector<std::string> unmodelled;
};

// `allow_unmodelled`: the user vouches for what is not modelled.
Verdict conclude(const Analysis& analysis, bool allow_unmodelled);

} // namespace footrace::prove
