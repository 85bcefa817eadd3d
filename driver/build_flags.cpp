#include "driver/build_flags.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <filesystem>

namespace fs = std::filesystem;

namespace footrace::driver {
namespace {

bool has_separate_value(llvm::StringRef word) {
  return llvm::is_contained({"-o", "-MF", "-MT", "-MQ"}, word);
}
bool is_of_the_build(llvm::StringRef word) {
  return word == "-c" || llvm::is_contained({"-MD", "-MMD", "-MP"}, word) || word.starts_with("-Werror") ||
         word.starts_with("-fsanitize") || word.starts_with("-o");
}

} // namespace

std::vector<std::string> flags_of(const scan::units::CompileCommand& command) {
  std::vector<std::string> flags;
  size_t i = 0;
  while (i < command.arguments.size() && !llvm::StringRef(command.arguments[i]).starts_with("-"))
    ++i; // the compiler, and what starts it
  for (; i < command.arguments.size(); ++i) {
    const std::string& word = command.arguments[i];
    if (has_separate_value(word)) {
      ++i;
      continue;
    }
    const fs::path file = fs::path(word).is_absolute() ? fs::path(word) : fs::path(command.folder) / word;
    if (is_of_the_build(word) || file.lexically_normal() == command.source) continue;
    flags.push_back(word);
  }
  return flags;
}

} // namespace footrace::driver
