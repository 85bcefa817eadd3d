// The tools that are compared: plain clang, ThreadSanitizer, and every preset of ours. All compile with the
// same flags.
#pragma once

#include "driver/installation.h"

#include <filesystem>
#include <string>
#include <vector>

namespace footrace::bench {

enum class ToolKind { Base, Tsan, Preset, Counting };

struct Tool {
  ToolKind kind;
  std::string name;                           // "base", "tsan", or the preset, with "+proofs" or without
  std::vector<std::string> cc, cxx;           // compilers with the tool's own flags
  std::filesystem::file_time_type changed_at; // programs that are older must be built again
  bool uses_proofs = false; // `footrace prove` looks at the program first, and what it proves is not checked
  bool finds_races() const { return kind == ToolKind::Tsan || kind == ToolKind::Preset; }
  std::string folder() const { return kind == ToolKind::Counting ? name + "-count" : name; }
};

// "bigfoot+proofs" -> "bigfoot".
std::string preset_of(const std::string& name);

// base, tsan, then the presets.
std::vector<Tool> tools_for(const driver::Installation& installation,
                            const std::vector<std::string>& presets);
// The preset's placement of checks with the runtime that only counts them; the same tool for presets that place the same checks.
Tool counting_tool(const driver::Installation& installation, const std::string& preset);

// Of every program and every tool.
extern const std::vector<std::string> kCommonFlags;

} // namespace footrace::bench
