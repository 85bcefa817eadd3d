// What the program fetches ahead, its shadow is fetched ahead: a table that is too large for the caches is looked at in the shadow as well, and the
// program's own prefetch hides only half of the wait.
#pragma once

#include "llvm/IR/Function.h"

namespace footrace {

void prefetch_shadow(llvm::Function& function);

} // namespace footrace
