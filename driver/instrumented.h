// What kind of program a file is.
#pragma once

#include <string>

namespace footrace::driver {

enum class ProgramKind {
  Instrumented, // an ELF executable that contains the runtime
  Plain,        // an ELF executable that does not
  Script,       // starts with #!; what it starts may be instrumented
  Unknown,      // cannot be read, or is neither
};

ProgramKind program_kind(const std::string& file);

} // namespace footrace::driver
