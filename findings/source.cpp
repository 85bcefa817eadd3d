#include "findings/source.h"

#include <filesystem>
#include <fstream>

namespace footrace::findings {
namespace {

constexpr std::uintmax_t max_source_size = 16 << 20; // generated files beyond this are not worth the memory

std::vector<std::string> read_lines(const std::string& file) {
  std::vector<std::string> lines;
  std::error_code error;
  // Only regular files: a path from debug info could name a pipe or a device.
  if (!std::filesystem::is_regular_file(file, error) ||
      std::filesystem::file_size(file, error) > max_source_size)
    return lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

} // namespace

std::optional<std::string> SourceLines::line(const SourceLocation& location) {
  if (location.file.empty() || location.line == 0) return std::nullopt;
  auto known = files_.find(location.file);
  if (known == files_.end()) known = files_.emplace(location.file, read_lines(location.file)).first;
  if (location.line > known->second.size()) return std::nullopt;
  return known->second[location.line - 1];
}

} // namespace footrace::findings
