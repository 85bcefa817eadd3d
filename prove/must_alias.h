// Flow-sensitive must-alias facts for fields (paper 001, section 5.2): after x.f = y, or a read of x.f, a read of x.f
// gives the same value if nothing wrote it in between.
//
// Another thread could write it in between. If the read races, nothing is concluded from it; that set of races is
// found with the help of these facts, so both are repeated until they agree. A write that is ordered needs an acquire
// between the two: there, facts about memory that another thread may write meanwhile are forgotten. The paper does
// not say this, and needs it.
#pragma once

#include "prove/accesses.h"
#include "prove/addresses.h"

#include <set>

namespace footrace::prove {

// Reads that take part in a race, per instance.
using RacySites = std::set<std::pair<InstanceId, const llvm::Instruction*>>;

// `written_in_parallel`: locations that some thread may write while another accesses them, ordered or not.
Equalities must_alias_facts(const PointsTo& pointers, const Accesses& accesses,
                            const LocationSet& written_in_parallel, const RacySites& races);

} // namespace footrace::prove
