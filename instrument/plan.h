// The check plan: what to do about every access of a function. Facts go in, emission comes out; a preset is a
// function that makes a plan.
#pragma once

#include "facts/escape.h"

#include <array>

namespace footrace {

struct PlannedAccess {
  Access access;
  std::optional<Reason> left_out; // nothing: check it
};

struct Plan {
  llvm::Function* function;
  std::vector<PlannedAccess> accesses; // in the order of the instructions
};

// Preset fasttrack: a check at every access, except where it cannot race. Functions without `sanitize_thread`
// keep their synchronisation, since other functions depend on it, and lose their plain checks.
Plan plan_fasttrack(llvm::Function& function, RaceFreedom& race_freedom);

// One line per kind of check and per reason. seen = sum of checks + sum of left out.
class PlanStats {
public:
  void add(const Plan& plan);
  void print(llvm::StringRef module_name) const;

private:
  std::array<uint64_t, access_kind_count> checked_{};
  std::array<uint64_t, reason_count> left_out_{};
};

} // namespace footrace
