// Units inside of object files: a section that ar and distributed compilers carry along and that the linker drops.
#pragma once

#include "scan/units/unit.h"

#include <string>
#include <vector>

namespace footrace::scan::units {

// Puts the text of a unit into an object file, in place of one that is there. Empty, or what is wrong.
std::string embed(const std::string& object_file, const std::string& unit_text);

// The units of a file: a unit file itself, an object file, or an archive of object files. Members of an archive and objects
// linked with -r may hold several. An object without one is an error of its own.
std::vector<ReadResult> read_units(const std::string& file);

} // namespace footrace::scan::units
