// What both phases ask of a function.
#pragma once

#include "facts/summaries.h"
#include "placement/paths.h"
#include "placement/plan.h"

namespace footrace {

// False for control flow in which a check cannot be placed, or that comes back to where it has been.
bool may_place_in(const llvm::Function& function);

// Own checks for all accesses that nothing covers yet.
void check_the_rest(Plan& plan);

// The accesses that have a path: known when compiling, and accessed whenever the instruction runs, which does nothing else.
llvm::BitVector accesses_with_path(const Plan& plan, const Summaries& summaries);

// The contexts of the function would be too large: its checks stay at their accesses.
bool is_beyond_budget(const Paths& paths, const llvm::Function& function);
// So large that finding the paths alone would take too much.
bool is_far_beyond_budget(unsigned accesses, const llvm::Function& function);

} // namespace footrace
