// Which statements of a method come before a start of threads: what they do is ordered before what the threads do.
#pragma once

#include "scan/il/il.h"

#include <functional>
#include <vector>

namespace footrace::scan::domain {

// Per block: from the statements before this index, a statement that `may_spawn` can still be reached.
std::vector<std::size_t> before_spawns(const il::Method& method,
                                       const std::function<bool(const il::Statement&)>& may_spawn);

} // namespace footrace::scan::domain
