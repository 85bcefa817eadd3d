// What a proof gives to the compiler: the accesses that are in no remaining pair (facts/proofs.h).
#pragma once

#include "prove/analysis.h"
#include "prove/program.h"

namespace footrace::prove {

// Only after an analysis that was complete, of a program in which everything is modelled or vouched for.
Proofs race_free_accesses(const Program& program, const Analysis& analysis);

} // namespace footrace::prove
