// The answer: race-free, or the pairs that no stage could rule out.
#pragma once

#include "findings/finding.h"
#include "prove/analysis.h"
#include "prove/program.h"

namespace footrace::prove {

enum class Outcome : std::uint8_t {
  RaceFree, // every pair was ruled out and everything was modelled
  Pairs,    // some pair was not ruled out
  Unknown,  // no pair is left, but something was not modelled or time ran out
};
const char* name_of(Outcome outcome);

// Pairs that are about the same memory.
struct PairGroup {
  std::string memory;
  std::size_t pairs = 0;
};

struct Verdict {
  Outcome outcome = Outcome::Unknown;
  std::vector<findings::Finding> pairs; // likely ones first, and of these one of each group before the others
  std::vector<PairGroup> groups;        // large ones first
  std::vector<std::string> unmodelled;
  std::vector<std::string> assumptions; // what the answer rests on besides docs/assumptions.md
  std::vector<std::string> proofs;      // ProofLog::lines
  bool is_complete =
      false; // everything was modelled or vouched for: what is in no pair and in no crowd cannot race
};

// `allow_unmodelled`: the user vouches for what is not modelled.
Verdict conclude(const Analysis& analysis, bool allow_unmodelled);
// Also with what the files themselves leave out.
Verdict conclude(const Analysis& analysis, const Program& program, bool allow_unmodelled);

// Some of the pairs that are left in the middle of an analysis.
std::vector<findings::Finding> pairs_so_far(const Analysis& analysis);

// Pairs that a run has shown to race.
std::size_t count_confirmed(const Verdict& verdict);

} // namespace footrace::prove
