#include "findings/names.h"

#include "llvm/Demangle/Demangle.h"

#include <filesystem>

namespace footrace::findings {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// Erases ", std::allocator<...>" with its balanced brackets.
void erase_default_argument(std::string& text, std::string_view opening) {
  for (std::size_t at = text.find(opening); at != std::string::npos; at = text.find(opening, at)) {
    std::size_t depth = 1, end = at + opening.size();
    for (; end < text.size() && depth > 0; ++end) {
      if (text[end] == '<') ++depth;
      // The ">" of an arrow or of a comparison operator closes nothing.
      if (text[end] == '>' && text[end - 1] != '-' && !text.substr(0, end).ends_with("operator")) --depth;
    }
    if (depth > 0) return;
    while (end < text.size() && text[end] == ' ') ++end; // "allocator<char> >"
    text.erase(at, end - at);
  }
}

} // namespace

std::string readable_name(std::string_view linkage_name) {
  std::string name = llvm::demangle(linkage_name);
  // Parts that the optimiser split off: "f() (.cold)", "f() (.llvm.123)".
  if (std::size_t suffix = name.rfind(" (."); suffix != std::string::npos && name.ends_with(')'))
    name.erase(suffix);
  replace_all(name, "[abi:cxx11]", "");
  replace_all(name, "std::__cxx11::", "std::");
  replace_all(name, "std::__1::", "std::");
  erase_default_argument(name, ", std::char_traits<");
  erase_default_argument(name, ", std::allocator<");
  erase_default_argument(name, ", std::default_delete<");
  replace_all(name, "std::basic_string<char>", "std::string");
  return name;
}

std::string readable_path(const std::string& path) {
  if (path.find("/.") == std::string::npos) return path;
  std::filesystem::path original(path), tidy = original.lexically_normal();
  std::error_code error;
  bool has_original = std::filesystem::exists(original, error);
  return !has_original || std::filesystem::equivalent(original, tidy, error) ? tidy.string() : path;
}

} // namespace footrace::findings
