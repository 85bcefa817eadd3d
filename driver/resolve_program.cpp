#include "driver/resolve_program.h"

#include "driver/instrumented.h"
#include "driver/messages.h"

#include "llvm/Support/Program.h"
#include <filesystem>
#include <unistd.h>

namespace fs = std::filesystem;

namespace footrace::driver {

int resolve_program(const std::string name, std::string& file, bool& follows) {
  if (name.empty()) return usage_error("the name of the program is empty");
  const bool is_looked_up = name.find('/') == std::string::npos;
  file = name;
  if (is_looked_up) {
    llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name);
    if (!found)
      return usage_error("there is no program '" + name + "' on PATH; for one in this folder write './" +
                         name + "'");
    file = *found;
  }
  std::error_code error;
  if (!fs::exists(file, error)) return usage_error("the program '" + file + "' does not exist");
  if (fs::is_directory(file, error)) return usage_error("'" + file + "' is a directory, not a program");
  if (access(file.c_str(), X_OK) != 0) return usage_error("'" + file + "' is not executable; see chmod +x");

  switch (program_kind(file)) {
  case ProgramKind::Instrumented:
  case ProgramKind::Script:
    return 0;
  case ProgramKind::Plain:
    if (is_looked_up) follows = true;
    if (follows) return 0;
    return usage_error(
        "'" + file +
        "' is not instrumented; build it with 'footrace c++' or 'footrace cc'. To reach instrumented "
        "programs that it starts, give --follow");
  case ProgramKind::Unknown:
    break;
  }
  return usage_error("'" + file + "' is neither an ELF program nor a script");
}

} // namespace footrace::driver
