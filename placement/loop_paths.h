// Paths that a loop accesses under one name in all its iterations.
#pragma once

#include "placement/steps.h"

namespace footrace {

enum class InLoop : uint8_t { OneSpan, ManySpans };

// Per head of a loop: what is accessed in it and mentions nothing that it defines. If the loop is in one span (it has no
// release), one check before the first such access covers all of them; other loops are left out, unless ManySpans is
// asked for.
llvm::DenseMap<const llvm::BasicBlock*, PathSet>
loop_invariant_paths(const Steps& steps, const Paths& paths, const llvm::LoopInfo& loops, InLoop spans);

} // namespace footrace
