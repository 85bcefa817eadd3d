// What both phases ask of a function.
#pragma once

#include "placement/plan.h"

namespace footrace {

// False for control flow in which a check cannot be placed, or that comes back to where it has been.
bool may_place_in(const llvm::Function& function);

// Own checks for all accesses that nothing covers yet.
void check_the_rest(Plan& plan);

} // namespace footrace
