// `footrace check`: compile, run, report, in one step.
#include "driver/commands.h"
#include "driver/compile.h"
#include "driver/counters.h"
#include "driver/messages.h"
#include "driver/process.h"
#include "driver/run_options.h"
#include "driver/temporary_folder.h"

#include "clang/Options/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace fs = std::filesystem;

namespace footrace::driver {
namespace {

// What the command line of `check` says.
struct CheckRequest {
  CompileOptions compile;
  RunOptions run;
  bool keep = false;
  Arguments clang_arguments;   // files and compile flags
  Arguments program_arguments; // after "--"
};

bool is_cxx_source(const std::string& file) {
  return llvm::StringSwitch<bool>(fs::path(file).extension().string())
      .Cases({".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".CXX", ".CC", ".ii"}, true)
      .Cases({".cppm", ".ccm", ".cxxm", ".c++m", ".ixx"}, true)
      .Default(false);
}

bool is_c_source(const std::string& file) {
  return llvm::StringSwitch<bool>(fs::path(file).extension().string())
      .Cases({".c", ".i"}, true)
      .Default(false);
}

// clang would hand any other file to the linker, whose messages about it do not help.
bool is_linkable(const std::string& file) {
  bool is_versioned_library = llvm::StringRef(fs::path(file).filename().string()).contains(".so.");
  return is_versioned_library || llvm::StringSwitch<bool>(fs::path(file).extension().string())
                                     .Cases({".o", ".lo", ".obj", ".a", ".so"}, true)
                                     .Cases({".s", ".S", ".sx", ".bc", ".ll"}, true)
                                     .Default(false);
}

int parse(const Arguments& arguments, CheckRequest& request) {
  for (size_t i = 0; i < arguments.size();) {
    int code = 0;
    if (arguments[i] == "--") {
      request.program_arguments.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                       arguments.end());
      break;
    }
    if (arguments[i] == "--keep") {
      request.keep = true;
      i++;
    } else if (take_run_option(arguments, i, request.run, code)) {
      if (code) return code;
    } else if (take_compile_option(arguments[i], request.compile, code)) {
      if (code) return code;
      i++;
    } else {
      request.clang_arguments.push_back(arguments[i++]);
    }
  }
  request.compile.stats = request.run.stats;
  return 0;
}

int refuse_unknown_option(const std::string& option) {
  std::string nearest;
  unsigned distance = clang::getDriverOptTable().findNearest(
      option, nearest, llvm::opt::Visibility(clang::options::ClangOption));
  std::string hint = distance <= 1 ? "; did you mean '" + nearest + "'?" : "; see 'footrace help check'";
  return usage_error("unknown option '" + option + "'" + hint);
}

// Says why this cannot be checked; 0 if it can.
int refuse(const ClangArguments& found) {
  if (!found.unknown.empty()) return refuse_unknown_option(found.unknown[0]);
  if (!found.missing_value.empty()) return usage_error("'" + found.missing_value + "' needs a value");
  if (found.inputs.empty())
    return usage_error("no source file given; usage: footrace check FILE... [FLAGS] [-- ARGUMENTS]");
  std::string unsuitable = found.stops_with;
  if (!found.output.empty()) unsuitable = "-o";
  if (found.link == LinkKind::Shared) unsuitable = "-shared";
  if (found.link == LinkKind::Relocatable) unsuitable = "-r";
  if (!unsuitable.empty())
    return usage_error("'check' compiles, links and runs, so it does not take '" + unsuitable +
                       "'; use 'footrace c++' or 'footrace cc', then 'footrace run'");
  for (const std::string& file : found.inputs) {
    std::error_code error;
    if (file == "-") return usage_error("'check' cannot read a program from standard input; give it a file");
    if (fs::is_directory(file, error))
      return usage_error("'" + file + "' is a directory; name the source files in it");
    if (!fs::exists(file, error))
      return usage_error("the file '" + file + "' does not exist (arguments of the program come after '--')");
    if (!found.names_language && !is_cxx_source(file) && !is_c_source(file) && !is_linkable(file))
      return usage_error(
          "'" + file +
          "' has no suffix of a C or C++ source, an object or a library; give '-x c' or '-x c++' "
          "before it if it is a source (arguments of the program come after '--')");
  }
  return 0;
}

// Silence might be that of a program that was never checked.
void say_if_clean(const Counters& seen) {
  if (seen.processes == 0 || seen.reported != 0) return;
  std::string text = "no data race was found";
  if (seen.suppressed == 1) text += " but one that is suppressed";
  if (seen.suppressed > 1) text += " but " + std::to_string(seen.suppressed) + " that are suppressed";
  if (seen.threads == seen.processes)
    text += ": the program had one thread only";
  else
    text += " in this run (" + std::to_string(seen.threads) + " threads); what did not run was not checked";
  note(text);
}

} // namespace

int command_check(const Arguments& arguments) {
  CheckRequest request;
  if (int code = parse(arguments, request)) return code;
  ClangArguments found = inspect_clang_arguments(request.clang_arguments);
  if (int code = refuse(found)) return code;
  std::optional<Installation> installation = find_installation();
  if (!installation) return ExitFailure;
  if (int code = prepare_output_files(request.run)) return code;

  TemporaryFolder folder;
  if (!folder.exists()) return failure("cannot make a folder '" + folder.path() + "': " + strerror(errno));
  std::string program = folder.path() + "/" + fs::path(found.inputs[0]).stem().string();

  // The user's flags come after the defaults and win.
  Arguments clang_arguments = {"-O1", "-g"};
  llvm::append_range(clang_arguments, request.clang_arguments);
  llvm::append_range(clang_arguments, Arguments{"-o", program});
  bool cxx = llvm::any_of(found.inputs, is_cxx_source);
  bool mixed = cxx && llvm::any_of(found.inputs, is_c_source);
  // clang++ would compile C files as C++, so a mixture goes through clang, which then needs the library by
  // name.
  if (mixed) llvm::append_range(clang_arguments, Arguments{"-lstdc++", "-lm"});
  Compilation compilation;
  if (int code = plan_compilation(*installation, cxx && !mixed ? Language::Cxx : Language::C, request.compile,
                                  clang_arguments, compilation))
    return code;
  if (run_and_wait(compilation.command) != 0)
    return failure("'" + found.inputs[0] + "' was not run: the compilation failed");
  compilation.reporter_object.close(); // the program must not inherit it
  if (request.keep) {
    folder.keep();
    note("the program is kept as '" + program + "'");
  }

  const bool counts = !wants_counters(request.run);
  if (counts) request.run.stats_file = folder.path() + "/counters";
  export_run_options(*installation, request.run);
  std::vector<std::string> run = {program};
  llvm::append_range(run, request.program_arguments);
  const int code = run_and_wait(run);
  if (counts) say_if_clean(read_counters(request.run.stats_file));
  return code;
}

} // namespace footrace::driver
