// A compile command of a build system, as flags for a compilation of our own.
#pragma once

#include "scan/units/compile_commands.h"

namespace footrace::driver {

// Without the compiler, the source, what names or describes outputs, and what only its own compiler or its warnings are about.
std::vector<std::string> flags_of(const scan::units::CompileCommand& command);

} // namespace footrace::driver
