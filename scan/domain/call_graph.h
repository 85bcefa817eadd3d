// Strongly connected components of the call graph, callees first (Tarjan).
#pragma once

#include "scan/il/il.h"

#include <vector>

namespace footrace::scan::domain {

// Indices into program.methods.
std::vector<std::vector<unsigned>> components(const il::Program& program);
bool calls_itself(const il::Method& method);

} // namespace footrace::scan::domain
