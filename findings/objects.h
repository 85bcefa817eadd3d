// What tells apart races at the same two places: inc(&a) and inc(&b) are two defects, two elements of one array are one; and inc(&a) that is called from two
// functions may need a lock in either.
#pragma once

#include "findings/finding.h"

namespace footrace::findings {

// The variable's name, or where the block was allocated. Empty if neither is known, and if the code of a library made one of the accesses: what that has
// inside is of no concern to its user.
std::string object_key(const Finding& finding);

// "bank.transfers_", as well as it is known.
std::string subject_of(const Finding& finding);
// To count races of one run by variable. Equal keys: one variable, as far as object and member are known; empty: it has no name.
struct Variable {
  std::string key, name;
};
Variable variable_of(const Finding& finding);
// Of each access, its place and its nearest callers in the user's code. Empty texts where the callers are lost.
std::vector<std::string> caller_keys(const Finding& finding);

} // namespace footrace::findings
