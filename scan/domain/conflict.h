// When two accesses of two methods race: the conditions of the True Positives Theorem (RacerDX, POPL'19, Theorem 6.10).
// Stability, its second condition, has been decided when the summaries were made.
#pragma once

#include "scan/domain/rules.h"

namespace footrace::scan::domain {

// pi1 = v1.f and pi2 = v2.f: the same fields after the roots that denote one object. Parts of one object overlap too.
bool must_overlap(const il::Path& a, const il::Path& b, const SharedRoots& roots);

bool may_race(const AccessKey& a, const AccessKey& b, const SharedRoots& roots, const Rules& rules = {});

} // namespace footrace::scan::domain
