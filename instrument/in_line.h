// How many checks of a module test in line whether their bytes were accessed in this epoch (instrument/same_epoch.h).
//
// To the code generator such a test is three blocks and a dozen instructions, where a call is one: a module may have so many of them, and more
// the larger it is. A module with more checks than that has tests in the innermost loops and in the smallest functions.
#pragma once

#include "facts/summaries.h"
#include "placement/plan.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace footrace {

// Of one function.
struct InLineLimits {
  size_t few_checks = 0;    // functions with at most so many checks test all of them in line,
  size_t most_in_loops = 0; // the others at most so many, in loops
  size_t most_readers = 0;  // and so many reads in loops are compared with the known sets of readers, too
};

// The same for all functions of the module.
InLineLimits in_line_limits(llvm::ArrayRef<Plan> plans, GetAnalyses get_analyses);

// The instructions with checks, in loops and not on the way to a failure, that may have a test in line: the innermost first.
llvm::SmallPtrSet<const llvm::Instruction*, 32>
tested_in_loops(llvm::ArrayRef<const llvm::Instruction*> checked, const llvm::LoopInfo& loops,
                const InLineLimits& limits);

} // namespace footrace
