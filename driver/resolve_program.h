// The program that a command line names.
#pragma once

#include <string>

namespace footrace::driver {

// The file that the name means, found as a shell would. `follows`: it may be a program that only starts others; a name that is
// looked up on PATH, as ctest and make, is taken for one. Returns 0, or the exit code after saying what is wrong.
int resolve_program(std::string name, std::string& file, bool& follows);

} // namespace footrace::driver
