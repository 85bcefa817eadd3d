// One translation unit -> its unit: the command that reads it, and units inside of object files.
#pragma once

#include "driver/compile.h"
#include "scan/units/compile_commands.h"

#include <string>
#include <vector>

namespace footrace::driver {

// Runs footrace-scan-unit, which writes the unit to `output`.
std::vector<std::string> unit_command(const Installation& installation,
                                      const scan::units::CompileCommand& command, const std::string& output);

// --embed-summary: compiles, and puts the units of the sources into the objects that come out of it. Returns the exit code.
int compile_and_embed(const Installation& installation, Language language, const Compilation& compilation,
                      const std::vector<std::string>& arguments);

} // namespace footrace::driver
