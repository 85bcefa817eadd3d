// Function and variable names as a person would write them.
#pragma once

#include <string>
#include <string_view>

namespace footrace::findings {

// Demangles, and drops what only the compiler needs: ABI tags, inline namespaces, default template arguments.
std::string readable_name(std::string_view linkage_name);

// Without "." and "..", unless that would name another file (through a symbolic link).
std::string readable_path(const std::string& path);

} // namespace footrace::findings
