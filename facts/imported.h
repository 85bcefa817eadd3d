// Functions whose bodies come from another file and leave again before the checks are placed.
//
// Thin LTO imports a body to inline it (available_externally) and drops what it did not use. What the body may do is noted
// in an attribute of the function, which stays on the declaration.
#pragma once

#include "models/effects.h"

#include <optional>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace footrace {

class Summaries;

// True if it changed anything.
bool note_imported_effects(llvm::Module& module, const Summaries& summaries);

// What was noted about a function that has no body any more.
std::optional<Effects> noted_effects(const llvm::Function& function);

} // namespace footrace
