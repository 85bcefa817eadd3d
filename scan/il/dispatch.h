// Calls whose target is not written down: of virtual methods, and through function pointers that are kept in fields and
// variables. Conditions are free (A6), so such a call is a branch to each function that may be meant.
#pragma once

#include "scan/il/il.h"

namespace footrace::scan::il {

// More targets say little about any one of them (a table of all commands): such a call is one of unknown code.
inline constexpr std::size_t max_targets = 8;

// Afterwards no call is a Dispatch, and the slots that are left are those whose calls are known, or that are set through a
// formal. A call of a slot without targets is one of unknown code with the name of the slot.
void resolve_dispatch(Program& program);

} // namespace footrace::scan::il
