// Where the driver's companions are: relative to the driver itself, alike in the build tree and in an
// installed tree.
#pragma once

#include <optional>
#include <string>

namespace footrace::driver {

struct Installation {
  std::string driver;            // bin/footrace
  std::string pass_plugin;       // lib/footrace/FootracePass.so
  std::string runtime_archive;   // lib/footrace/libfootrace_rt.a
  std::string runtime_symbols;   // lib/footrace/libfootrace_rt.syms
  std::string counting_archive;  // lib/footrace/libfootrace_count.a; only in a build tree, for `bench`
  std::string recording_archive; // lib/footrace/libfootrace_validate.a; likewise, for --validate-placement
  std::string measure;           // libexec/footrace/footrace-measure; likewise
  std::string reporter_template; // lib/footrace/reporter_path.o
  std::string reporter;          // libexec/footrace/footrace-reporter
  std::string analysis;          // libexec/footrace/footrace-analysis; scan and prove only
  std::string scan_unit;         // libexec/footrace/footrace-scan-unit; likewise
  std::string clang_resources;   // the folder of clang's own headers
  std::string clang; // $FOOTRACE_CLANG if that is a clang 22, or the clang that the build was configured with
};

// Finds all of it and checks that it is there. On failure says what is missing and returns nothing.
std::optional<Installation> find_installation();

} // namespace footrace::driver
