// Races -> findings: both methods, both accesses with their calls, the path, the locks, and why.
#pragma once

#include "findings/finding.h"
#include "scan/domain/pairing.h"

#include <vector>

namespace footrace::scan::domain {

// Sealed. The fingerprint is made of names, not of lines: it survives edits elsewhere in the file.
findings::Finding report(const Race& race, const il::Program& program);
std::vector<findings::Finding> report(const std::vector<Race>& races, const il::Program& program);

// The whole of scan after lowering.
std::vector<findings::Finding> scan(const il::Program& program, const Options& options = {},
                                    PairingCounts* counts = nullptr);

} // namespace footrace::scan::domain
