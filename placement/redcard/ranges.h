// Quantified paths of RedCard (ECOOP'13, section 4, Fig. 5): ∀i∈r. x[i], arrays of which a strided range has been accessed.
//
// A loop that has accessed a range makes it available for the rest of the span: what a later loop accesses of it needs no check. Available is what
// every way from the function's entry has made since the last release: a set of bits, one per quantified path. A release ends all of them, and a new
// definition of a variable of its expressions ends one ([ASSIGN]: the path would mean other bytes).
// Whether an available path has the bytes of another is for placement/entail.h to say.
#pragma once

#include "facts/summaries.h"
#include "placement/entail.h"
#include "placement/plan.h"

#include <optional>
#include <vector>

namespace footrace::redcard {

struct QuantifiedPath {
  const PlannedCheck* range = nullptr; // Range or Strided
  llvm::Instruction* needed = nullptr; // before this: its accesses come next
  llvm::Instruction* made = nullptr;   // from before this on it is available; null: nowhere
};

// For each path, another that is available where it is needed and has all of its bytes; itself not redundant.
std::vector<std::optional<unsigned>> find_redundant(llvm::Function& function,
                                                    llvm::ArrayRef<QuantifiedPath> paths,
                                                    const Summaries& summaries, Entailment& entailment);

// Early phase: range checks of what has been checked go, and range checks of one place that continue each other become one.
void drop_available_ranges(Plan& plan, const Summaries& summaries, const FunctionAnalyses& analyses,
                           EntailmentBudget budget);

// Preset redcard: accesses of a loop whose range another loop of the span has accessed lose their checks.
void plan_arrays(Plan& plan, const Summaries& summaries, const FunctionAnalyses& analyses,
                 EntailmentBudget budget);

} // namespace footrace::redcard
