// Turning a user's clang command line into ours.
#pragma once

#include "driver/clang_arguments.h"
#include "driver/installation.h"
#include "driver/reporter_object.h"

#include "llvm/ADT/StringRef.h"
#include <span>
#include <string>
#include <vector>

namespace footrace::driver {

enum class Language { C, Cxx };

// How checks are placed, named as in the papers.
std::span<const llvm::StringRef> all_presets();

// Options of our own that the wrappers and `check` share.
struct CompileOptions {
  bool counts_checks = false; // links the runtime that only counts (bench/counting) instead of the detector
  bool validates_placement =
      false; // notes every access, and links the runtime that writes all down (tests/placement/recorder)
  bool stats = false; // the pass prints what it left out, and why
  std::string preset = "bigfoot";
  std::string precision;       // empty: "trace"
  std::string lto;             // the step that places checks with -flto; empty: "compile"
  std::string explain_file;    // where the pass writes what became of each access; empty: nowhere
  bool embeds_ir = false;      // objects carry their unoptimised module, for `prove`
  std::string proofs_file;     // of `prove`: accesses that need no check; empty: none
  bool embeds_summary = false; // objects carry what `scan` needs of their sources
  bool print_commands = false; // the command is shown before it runs
};

// True if the word is one of ours; then it has been taken into the options. `code` is not 0 if it was wrong.
bool take_compile_option(const std::string& word, CompileOptions& options, int& code);

// What is added to a compilation, to the link of an executable, and to the link of a shared library. Each
// element of the outer vector is one option with its values.
using OptionGroups = std::vector<std::vector<std::string>>;
OptionGroups compile_flags(const Installation& installation, const CompileOptions& options);
OptionGroups link_flags(const Installation& installation, const std::string& reporter_object);
OptionGroups shared_link_flags();

// A clang command, with the file that it refers to.
struct Compilation {
  std::vector<std::string> command;
  ReporterObject reporter_object; // only for the link of an executable
};

// The compilation for the user's arguments. Returns 0, or the exit code after saying what is wrong.
int plan_compilation(const Installation& installation, Language language, const CompileOptions& options,
                     const std::vector<std::string>& arguments, Compilation& compilation);

} // namespace footrace::driver
