// Checks that stand for several accesses: finds where in the code they go and computes what they need there.
//
// Expressions belong to a function as it was analysed, so all of them are asked and expanded before anything else is emitted.
#pragma once

#include "facts/summaries.h"
#include "instrument/cover.h"
#include "placement/plan.h"

namespace footrace {

// A check whose operands exist as values at the place where it runs.
struct ReadyCheck {
  const PlannedCheck* check = nullptr;
  llvm::Instruction* before = nullptr;
  llvm::Value* address = nullptr;
  llvm::Value* length = nullptr;       // Range
  llvm::Value* stride = nullptr;       // Strided
  llvm::Value* count = nullptr;        // Strided
  std::vector<CoverPlace> places = {}; // of the accesses that the check covers, in its order
};

struct ReadyChecks {
  std::vector<ReadyCheck> checks;
  // Checks whose operands cannot be computed where they would be needed (a division that might trap there): the accesses that they cover
  // are to be checked where they are.
  std::vector<const PlannedCheck*> not_computable;
};

// Every check of the plan that is not an access's own. May split edges and add computations; changes nothing else.
ReadyChecks prepare_combined_checks(const Plan& plan, const FunctionAnalyses& analyses);

} // namespace footrace
