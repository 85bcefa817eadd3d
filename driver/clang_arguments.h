// What a clang command line asks for, read with clang's own option table, so that every option and every
// value that belongs to an option is understood as clang will understand it. Response files are expanded,
// only for looking.
#pragma once

#include <string>
#include <vector>

namespace footrace::driver {

enum class LinkKind {
  None,        // stops before the linker, or has no inputs
  Executable,  // gets the runtime
  Shared,      // leaves the runtime to the executable that loads it
  Relocatable, // -r: linked again later
};

struct ClangArguments {
  std::vector<std::string> inputs;  // source files, objects, libraries named by path; "-" is standard input
  std::vector<std::string> unknown; // options clang does not have
  std::string missing_value;        // an option at the end that lacks its value
  bool names_language = false;      // -x: suffixes do not say what the files are
  LinkKind link = LinkKind::None;
  std::string stops_with;    // the option that ends the compilation before the linker, e.g. "-c"
  std::string output;        // -o
  std::string static_option; // "-static" or "-static-pie"
  bool links_libstdcxx_statically = false;
  std::string foreign_target;             // the option that asks for anything but x86-64 Linux
  bool asks_for_thread_sanitizer = false; // which is what we replace
  bool leaves_unchecked =
      false; // -fno-sanitize=thread or =all has the last word: these files are not to be checked
  std::vector<std::string> ignore_lists;     // -fsanitize-ignorelist=, unless taken back
  std::vector<std::string> other_sanitizers; // those that cannot live in one process with us
};

ClangArguments inspect_clang_arguments(const std::vector<std::string>& arguments);

} // namespace footrace::driver
