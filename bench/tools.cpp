#include "bench/tools.h"

#include <algorithm>

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

Tool preset_tool(const driver::Installation& i, const std::string& preset) {
  std::string bin = fs::path(i.driver).parent_path();
  return {ToolKind::Preset,
          preset,
          {bin + "/footrace-clang", "--preset=" + preset},
          {bin + "/footrace-clang++", "--preset=" + preset},
          newest({i.pass_plugin, i.runtime_archive})};
}

} // namespace

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
  Tool tool = preset_tool(i, preset);
  tool.kind = ToolKind::Counting;
  tool.cc.push_back("--runtime=count");
  tool.cxx.push_back("--runtime=count");
  tool.changed_at = newest({i.pass_plugin, i.counting_archive});
  return tool;
}

} // namespace footrace::bench
