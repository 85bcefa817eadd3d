// `footrace run`: an instrumented program with its options.
#include "driver/commands.h"
#include "driver/follow.h"
#include "driver/messages.h"
#include "driver/process.h"
#include "driver/resolve_program.h"
#include "driver/run_options.h"

#include <filesystem>

namespace fs = std::filesystem;

namespace footrace::driver {

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
