// Man pages and shell completion, made of the table of commands and the table of the runtime's options, so that they cannot
// say anything else than `footrace help`.
#pragma once

#include "driver/commands.h"

#include <optional>
#include <string>
#include <vector>

namespace footrace::driver {

// One option of a command, as its help text has it: "  --findings FILE        write each finding".
struct OptionHelp {
  std::string name;       // "--findings"
  std::string argument;   // "FILE"; empty: none
  bool is_joined = false; // "--preset=NAME" rather than "--preset NAME"
  std::string text;
};
std::vector<OptionHelp> options_of(const Command& command);

// roff. Without a command: footrace(1).
std::string man_page(const Command* command);
// For "bash", "zsh" or "fish"; nothing for another shell.
std::optional<std::string> completion_script(const std::string& shell);

// All of them below `folder`, as an installed tree has them. Returns the exit code.
int write_manual(const std::string& folder);

} // namespace footrace::driver
