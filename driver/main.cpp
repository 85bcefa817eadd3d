// footrace COMMAND ARGUMENTS; under the names footrace-clang and footrace-clang++ it is the compiler wrapper, under footrace-llvm-ar and footrace-llvm-ranlib the tool
// beside its clang.
#include "driver/commands.h"
#include "driver/messages.h"

#include "llvm/ADT/StringRef.h"

using namespace footrace::driver;

int main(int argc, char** argv) {
  llvm::StringRef name = argc ? argv[0] : "footrace";
  name = name.substr(name.rfind('/') + 1);
  Arguments arguments(argv + (argc ? 1 : 0), argv + argc);
  if (name.ends_with("clang++")) return command_cxx(arguments);
  if (name.ends_with("clang")) return command_cc(arguments);
  // CMake looks for the archiver of link-time optimisation by the name of the compiler.
  for (const char* tool : {"llvm-ar", "llvm-ranlib"})
    if (name.ends_with(std::string("footrace-") + tool)) return run_beside_clang(tool, arguments);

  if (arguments.empty()) {
    command_help({});
    return ExitUsage;
  }
  std::string word = arguments[0];
  arguments.erase(arguments.begin());
  if (word == "--help" || word == "-h") word = "help";
  if (word == "--version") word = "version";
  const Command* command = find_command(word);
  if (!command) {
    std::string near = nearest_name(word);
    return usage_error(
        "there is no command '" + word + "'; " +
        (near.empty() ? "'footrace help' lists the commands" : "did you mean '" + near + "'?"));
  }
  // The compiler wrappers leave --help to clang.
  bool is_wrapper = command->run == command_cc || command->run == command_cxx;
  if (!is_wrapper && arguments.size() == 1 && (arguments[0] == "--help" || arguments[0] == "-h"))
    return command_help({word});
  return command->run(arguments);
}
