#include "bench/tools.h"

#include <algorithm>
#include <string_view>

namespace fs = std::filesystem;

namespace footrace::bench {

const std::vector<std::string> kCommonFlags = {"-O2", "-g"};

namespace {

fs::file_time_type newest(std::initializer_list<std::string> files) {
  fs::file_time_type time = fs::file_time_type::min();
  for (const std::string& file : files) {
    std::error_code ignored;
    fs::file_time_type changed = fs::last_write_time(file, ignored);
    if (!ignored) time = std::max(time, changed);
  }
  return time;
}

constexpr std::string_view kWithProofs = "+proofs";

Tool preset_tool(const driver::Installation& i, const std::string& name) {
  const std::string bin = fs::path(i.driver).parent_path(), preset = preset_of(name);
  const bool uses_proofs = preset != name;
  return {ToolKind::Preset,
          name,
          {bin + "/footrace-clang", "--preset=" + preset},
          {bin + "/footrace-clang++", "--preset=" + preset},
          newest({i.pass_plugin, i.runtime_archive, uses_proofs ? i.driver : ""}),
          uses_proofs};
}

struct Placement {
  std::string_view preset, checks;
};
constexpr Placement kPlacements[] = {
#define FR_PRESET(name, checks, features, meaning) {#name, #checks},
#include "abi/presets.def"
};

// Presets that differ only in the shadow have the same checks: the first of them stands for all.
std::string first_with_the_same_checks(std::string_view preset) {
  const Placement* own = std::ranges::find(kPlacements, preset, &Placement::preset);
  return std::string(std::ranges::find(kPlacements, own->checks, &Placement::checks)->preset);
}

} // namespace

std::string preset_of(const std::string& name) {
  return name.ends_with(kWithProofs) ? name.substr(0, name.size() - kWithProofs.size()) : name;
}

std::vector<Tool> tools_for(const driver::Installation& i, const std::vector<std::string>& presets) {
  fs::file_time_type compiler = newest({i.clang});
  std::vector<Tool> tools = {{ToolKind::Base, "base", {i.clang}, {i.clang, "--driver-mode=g++"}, compiler},
                             {ToolKind::Tsan,
                              "tsan",
                              {i.clang, "-fsanitize=thread"},
                              {i.clang, "--driver-mode=g++", "-fsanitize=thread"},
                              compiler}};
  for (const std::string& preset : presets) tools.push_back(preset_tool(i, preset));
  return tools;
}

Tool counting_tool(const driver::Installation& i, const std::string& preset) {
  const std::string plain = preset_of(preset);
  Tool tool = preset_tool(i, first_with_the_same_checks(plain) + preset.substr(plain.size()));
  tool.kind = ToolKind::Counting;
  tool.cc.push_back("--runtime=count");
  tool.cxx.push_back("--runtime=count");
  tool.changed_at = newest({i.pass_plugin, i.counting_archive});
  return tool;
}

} // namespace footrace::bench
