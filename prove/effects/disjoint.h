// Disjoint reachability (paper 001, section 4): which objects are reachable from at most one of any two distinct
// objects of given sites.
#pragma once

#include "prove/effects/rules.h"

#include <cstddef>

namespace footrace::prove::effects {

// Definition 4.2; nothing if it would have more than `limit` effects.
std::optional<Effects> closure(const Effects& effects, std::size_t limit = 200000);

// h in DR_K(H), Figure 9, given K+.
bool has_disjoint_reachability(const Effects& closed, SiteId site, const std::set<SiteId>& owners);

} // namespace footrace::prove::effects
