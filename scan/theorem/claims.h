// Everything that the analysis would report about a program if any two calls could run at the same time: the claims that
// the theorem has to make good.
#pragma once

#include "scan/domain/analysis.h"
#include "scan/theorem/explorer.h"

#include <map>

namespace footrace::scan::theorem {

// With a way to each.
using Claims = std::map<Claim, Routes>;

Claims claims(const il::Program& program, const domain::Options& options, const domain::Rules& rules = {});

// The claims of `fewer` that `more` does not make, whatever the locks.
std::vector<Claim> missing_from(const Claims& fewer, const Claims& more);

} // namespace footrace::scan::theorem
