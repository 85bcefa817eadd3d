// compile_commands.json -> the commands of a project, one per translation unit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace footrace::scan::units {

struct CompileCommand {
  std::string folder;
  std::string source;                 // absolute
  std::vector<std::string> arguments; // the compiler first
  std::uint64_t reader = 0;           // digest of the program that makes the unit: another one may see more
  std::uint64_t digest() const;
};

struct CommandsResult {
  std::vector<CompileCommand> commands; // the first of each source; C and C++ only
  std::string error;                    // what is wrong and what to do; empty: nothing
};

// By its suffix.
bool has_c_or_cxx(const std::string& source);

CommandsResult parse_compile_commands(std::string_view json, const std::string& file);
// `folder` holds compile_commands.json, or is that file.
CommandsResult read_compile_commands(const std::string& folder);

// A source given by itself, with flags.
CompileCommand command_for(const std::string& source, const std::vector<std::string>& flags);

} // namespace footrace::scan::units
