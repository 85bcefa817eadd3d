// Shadow proxies (RedCard, ECOOP'13, section 5; BigFoot section 4), the symmetric ones, in a closed world.
//
// Two pieces of closed variables (facts/closed_globals.h) are each other's proxies if every check of the one comes with a check of the
// other, of the same kind and at the same point: a stretch of a block without any effect, or an edge. Their shadow histories are then the same,
// so one of them, the proxy, is checked, and a race on it is a race on the other by the same threads at the same points. The check keeps the accesses
// that it stands for: the report of such a race is followed by theirs.
// Arrays: a range that loops always access as one is checked in its first cell.
// Deviations: asymmetric proxies, which would let a race on the proxy hide one on what it stands for, are not used (docs/decisions/007-placement.md). What lies in the cell
// of 8 bytes that is checked anyway needs no proxy.
#pragma once

#include "facts/closed_globals.h"
#include "facts/summaries.h"
#include "placement/plan.h"

namespace footrace {

// Late phase: the plans of all functions of the module, before the first is emitted.
void use_proxies(llvm::MutableArrayRef<Plan> plans, const ClosedGlobals& closed, const Summaries& summaries);

// Early phase: variables all of whose accesses are covered by range checks at known places.
void use_array_proxies(llvm::MutableArrayRef<Plan> plans, llvm::Module& module, const Summaries& summaries);

} // namespace footrace
