// `footrace run`: an instrumented program with its options.
#include "driver/commands.h"
#include "driver/instrumented.h"
#include "driver/messages.h"
#include "driver/process.h"
#include "driver/run_options.h"

#include "llvm/Support/Program.h"
#include <filesystem>
#include <unistd.h>

namespace fs = std::filesystem;

namespace footrace::driver {

// The file that the name means, found as a shell would. Returns 0, or the exit code after saying what is
// wrong.
static int resolve_program(const std::string& name, std::string& file) {
  if (name.empty()) return usage_error("the name of the program is empty");
  file = name;
  if (name.find('/') == std::string::npos) {
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
    return usage_error(
        "'" + file +
        "' is not instrumented; build it with 'footrace c++' or 'footrace cc'. To reach instrumented "
        "programs that it starts, set FOOTRACE_OPTIONS instead");
  case ProgramKind::Unknown:
    break;
  }
  return usage_error("'" + file + "' is neither an ELF program nor a script");
}

int command_run(const Arguments& arguments) {
  RunOptions options;
  size_t i = 0;
  while (i < arguments.size() && arguments[i] != "--" && arguments[i].starts_with("-")) {
    int code = 0;
    if (arguments[i] == "--validate-placement")
      return usage_error(
          "the placement of checks is validated in a build of its own: compile and link the program "
          "with 'footrace c++ --validate-placement', then see docs/testing.md");
    if (!take_run_option(arguments, i, options, code))
      return usage_error("unknown option '" + arguments[i] + "'; see 'footrace help run'");
    if (code) return code;
  }
  if (i < arguments.size() && arguments[i] == "--") i++;
  if (i == arguments.size())
    return usage_error("no program given; usage: footrace run [OPTIONS] -- PROGRAM [ARGUMENTS]");

  Arguments command(arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
  if (int code = resolve_program(command[0], command[0])) return code;
  std::optional<Installation> installation = find_installation();
  if (!installation) return ExitFailure;
  if (int code = prepare_output_files(options)) return code;
  export_run_options(*installation, options);
  return run_and_wait(command);
}

} // namespace footrace::driver
