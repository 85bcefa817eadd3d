// `footrace run`: an instrumented program with its options.
#include "driver/commands.h"
#include "driver/follow.h"
#include "driver/instrumented.h"
#include "driver/messages.h"
#include "driver/process.h"
#include "driver/run_options.h"

#include "llvm/Support/Program.h"
#include <filesystem>
#include <unistd.h>

namespace fs = std::filesystem;

namespace footrace::driver {

// The file that the name means, found as a shell would. `follows`: it may be a program that only starts others; a name that is
// looked up on PATH, as ctest and make, is taken for one. Returns 0, or the exit code after saying what is wrong.
static int resolve_program(const std::string name, std::string& file, bool& follows) {
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

static bool take_baseline(const Arguments& arguments, size_t& i, std::string& baseline, int& code) {
  const std::string& word = arguments[i];
  if (word == "--baseline" && i + 1 < arguments.size() && arguments[i + 1] != "--")
    baseline = arguments[++i];
  else if (word.starts_with("--baseline="))
    baseline = word.substr(11);
  else if (word != "--baseline")
    return false;
  i++;
  if (!fs::is_regular_file(baseline))
    code = usage_error("'--baseline' needs a file of findings" +
                       (baseline.empty() ? "" : "; '" + baseline + "' is none"));
  return true;
}

int command_run(const Arguments& arguments) {
  RunOptions options;
  std::string baseline;
  bool follows = false;
  size_t i = 0;
  while (i < arguments.size() && arguments[i] != "--" && arguments[i].starts_with("-")) {
    int code = 0;
    if (arguments[i] == "--validate-placement")
      return usage_error(
          "the placement of checks is validated in a build of its own: compile and link the program "
          "with 'footrace c++ --validate-placement', then see docs/testing.md");
    if (arguments[i] == "--follow") {
      follows = true;
      i++;
      continue;
    }
    if (take_baseline(arguments, i, baseline, code)) {
      if (code) return code;
      follows = true;
      continue;
    }
    if (!take_run_option(arguments, i, options, code))
      return usage_error("unknown option '" + arguments[i] + "'; see 'footrace help run'");
    if (code) return code;
  }
  if (i < arguments.size() && arguments[i] == "--") i++;
  if (i == arguments.size())
    return usage_error("no program given; usage: footrace run [OPTIONS] -- PROGRAM [ARGUMENTS]");

  Arguments command(arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
  if (int code = resolve_program(command[0], command[0], follows)) return code;
  std::optional<Installation> installation = find_installation();
  if (!installation) return ExitFailure;
  if (follows) return follow(*installation, command, options, baseline);
  if (int code = prepare_output_files(options)) return code;
  export_run_options(*installation, options);
  return run_and_wait(command);
}

} // namespace footrace::driver
