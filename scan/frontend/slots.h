// What may be meant by a call whose target is not written down: overriders of virtual methods, and functions that are
// stored in fields and variables.
#pragma once

#include "scan/il/il.h"

#include <vector>

namespace clang {
class ASTContext;
}

namespace footrace::scan::frontend {

// In order, each once.
std::vector<il::Slot> slots_of(clang::ASTContext& context);

} // namespace footrace::scan::frontend
