// Which statements a program runs again while the threads that it started before are still running.
#pragma once

#include "scan/domain/analysis.h"
#include "scan/il/il.h"

#include <unordered_set>

namespace footrace::scan::domain {

// On some path from the statement to itself no thread is waited for.
bool may_come_again(const il::Method& method, unsigned block, std::size_t statement,
                    const Summaries& summaries);
// What is at the one place may be followed by what is at the other, and nothing is waited for in between.
bool may_follow(const il::Method& method, const il::Location& first, const il::Location& then,
                const Summaries& summaries);
// Methods that are called so, or by one that is.
std::unordered_set<il::Name> called_again(const il::Program& program, const Summaries& summaries);

} // namespace footrace::scan::domain
