#include "driver/installation.h"

#include "config.h"
#include "driver/messages.h"
#include "driver/process.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Program.h"
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace fs = std::filesystem;

namespace footrace::driver {

// The pass is a plugin, which only the clang of its own major version can load.
static bool may_load_the_pass(const Installation& installation) {
  std::error_code error;
  if (fs::equivalent(installation.clang, installation.driver, error)) {
    failure("FOOTRACE_CLANG names '" + installation.clang +
            "', which is Footrace itself; set it to a clang " FOOTRACE_LLVM_MAJOR ", or unset it");
    return false;
  }
  // Without the variable, so that a script around footrace-clang does not ask itself without end.
  std::string answer = output_of({"env", "-u", "FOOTRACE_CLANG", installation.clang, "--version"});
  llvm::StringRef first_line = llvm::StringRef(answer).split('\n').first;
  if (first_line.contains("clang version " FOOTRACE_LLVM_MAJOR ".")) return true;
  failure("FOOTRACE_CLANG names '" + installation.clang +
          "', which is not clang " FOOTRACE_LLVM_MAJOR " (its --version says '" + first_line +
          "'); set it to a clang " FOOTRACE_LLVM_MAJOR ", or unset it");
  return false;
}

std::optional<Installation> find_installation() {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) {
    failure("cannot read /proc/self/exe (" + error.message() +
            "): footrace needs /proc to find its own files");
    return std::nullopt;
  }
  // bin/footrace, or libexec/footrace/footrace-analysis.
  fs::path root = self.parent_path().parent_path();
  const bool is_analysis = self.filename() == "footrace-analysis";
  if (is_analysis) root = root.parent_path();
  fs::path library = root / "lib/footrace";

  Installation found;
  found.driver = is_analysis ? root / "bin/footrace" : self;
  found.pass_plugin = library / "FootracePass.so";
  found.runtime_archive = library / "libfootrace_rt.a";
  found.runtime_symbols = library / "libfootrace_rt.syms";
  found.counting_archive = library / "libfootrace_count.a";
  found.recording_archive = library / "libfootrace_validate.a";
  found.measure = root / "libexec/footrace/footrace-measure";
  found.reporter_template = library / "reporter_path.o";
  found.reporter = root / "libexec/footrace/footrace-reporter";
  found.analysis = root / "libexec/footrace/footrace-analysis";
  found.scan_unit = root / "libexec/footrace/footrace-scan-unit";
  found.clang_resources = FOOTRACE_CLANG_RESOURCES;
  for (const std::string* file : {&found.pass_plugin, &found.runtime_archive, &found.runtime_symbols,
                                  &found.reporter_template, &found.reporter, &found.scan_unit}) {
    if (fs::exists(*file, error) || (file == &found.scan_unit && !is_analysis)) continue;
    failure("this installation is incomplete: '" + *file +
            "' does not exist; build and install Footrace again");
    return std::nullopt;
  }

  const char* chosen = getenv("FOOTRACE_CLANG");
  found.clang = chosen && *chosen ? chosen : FOOTRACE_DEFAULT_CLANG;
  if (found.clang.find('/') == std::string::npos)
    if (llvm::ErrorOr<std::string> on_path = llvm::sys::findProgramByName(found.clang))
      found.clang = *on_path;
  if (access(found.clang.c_str(), X_OK) != 0) {
    failure("the compiler '" + found.clang +
            "' cannot be run; install clang-22, or set FOOTRACE_CLANG to a clang " + FOOTRACE_LLVM_VERSION);
    return std::nullopt;
  }
  // The clang of the build was checked when it was configured.
  if (chosen && *chosen && !may_load_the_pass(found)) return std::nullopt;
  return found;
}

} // namespace footrace::driver
