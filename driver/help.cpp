#include "config.h"
#include "driver/commands.h"
#include "driver/manual.h"
#include "driver/messages.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

namespace footrace::driver {

static std::string heading(const char* text) {
  return may_colour(STDOUT_FILENO) ? std::string("\033[1m") + text + "\033[0m" : text;
}

static void print_overview() {
  llvm::outs() << "Footrace finds data races in C and C++ programs, precisely, while they run.\n\n"
               << heading("Usage") << "\n  footrace COMMAND [ARGUMENTS]\n\n"
               << heading("Commands") << '\n';
  for (const Command& command : all_commands())
    llvm::outs() << "  " << llvm::left_justify(command.name, 16) << command.summary << '\n';
  llvm::outs()
      << '\n'
      << heading("Exit codes") << "\n"
      << "  0   no race was found, and the program succeeded\n"
      << "  66  races were found (the number is the option exitcode)\n"
      << "  3   'prove' neither found a pair nor could rule out all: the verdict is UNKNOWN\n"
      << "  2   the command line is wrong, or names something that cannot be used\n"
      << "  1   anything else: no compiler, a compilation that failed\n"
      << "  Any other code is the program's own; 128 + n if signal n killed it.\n\n"
      << "'footrace help COMMAND' says more; 'footrace help options' lists the options of the runtime.\n";
}

static void print_options() {
  llvm::outs()
      << "Options of instrumented programs, from the environment: FOOTRACE_OPTIONS=name=value:name=value\n"
         "(the same names are also read from TSAN_OPTIONS, which FOOTRACE_OPTIONS overrides)\n\n";
#define FR_OPTION(type, name, default_value, help)                                                           \
  llvm::outs() << "  " << llvm::left_justify(#name, 20) << help << " (" #default_value ")\n";
#define FR_DIRECTIVE(name, default_value, help) FR_OPTION(, name, default_value, help)
#include "runtime/options.def"
}

int command_help(const Arguments& arguments) {
  if (arguments.empty()) {
    print_overview();
    return ExitSuccess;
  }
  if (arguments[0] == "--man" && arguments.size() <= 2) {
    const Command* command = arguments.size() == 2 ? find_command(arguments[1]) : nullptr;
    if (arguments.size() == 2 && !command)
      return usage_error("there is no command '" + arguments[1] + "'; 'footrace help' lists the commands");
    llvm::outs() << man_page(command);
    return ExitSuccess;
  }
  // For the build: all pages and completions, as they are installed.
  if (arguments[0] == "--write-manual" && arguments.size() == 2) return write_manual(arguments[1]);
  if (arguments.size() > 1) return usage_error("'help' takes one command; try 'footrace help'");
  if (arguments[0] == "options") {
    print_options();
    return ExitSuccess;
  }
  const Command* command = find_command(arguments[0]);
  if (!command) {
    std::string near = nearest_name(arguments[0]);
    return usage_error(
        "there is no help for '" + arguments[0] + "'; " +
        (near.empty() ? "'footrace help' lists the commands" : "did you mean '" + near + "'?"));
  }
  llvm::outs() << heading("Usage") << "\n  footrace " << command->synopsis << "\n\n"
               << command->summary << "\n"
               << command->details;
  return ExitSuccess;
}

} // namespace footrace::driver
