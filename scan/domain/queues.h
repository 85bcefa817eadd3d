// Queues of tasks: a class starts a thread that takes from a queue what the methods of the class put there, an active
// object. The queue itself has no thread.
#pragma once

#include "scan/il/il.h"

#include <set>
#include <utility>

namespace footrace::scan::domain {

// Pairs of a class that starts threads, and a class whose methods these threads call.
std::set<std::pair<il::Name, il::Name>> classes_used_by_threads(const il::Program& program);

} // namespace footrace::scan::domain
