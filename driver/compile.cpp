#include "driver/compile.h"

#include "driver/analysis.h"
#include "driver/commands.h"
#include "driver/messages.h"
#include "driver/process.h"
#include "driver/tsan_objects.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <filesystem>

namespace footrace::driver {

static constexpr llvm::StringRef presets[] = {
#define FR_PRESET(name, checks, features, summary) #name,
#include "abi/presets.def"
};

static constexpr llvm::StringRef precisions[] = {"trace", "address"};
static constexpr llvm::StringRef lto_steps[] = {"compile", "link"};

std::span<const llvm::StringRef> all_presets() { return presets; }

// The usage error for a word that is none of those that there are.
static int refuse_word(const char* what, const char* option, llvm::StringRef word,
                       llvm::ArrayRef<llvm::StringRef> known) {
  llvm::StringRef nearest;
  unsigned best = 3; // farther than two letters is a guess
  for (llvm::StringRef candidate : known) {
    unsigned distance = candidate.edit_distance(word, /*AllowReplacements=*/true, best);
    if (distance < best) best = distance, nearest = candidate;
  }
  std::string hint = nearest.empty() ? "" : (" (did you mean '" + nearest + "'?)").str();
  return usage_error("there is no " + llvm::Twine(what) + " '" + word + "'" + hint + "; choose " + option +
                     "=NAME from: " + llvm::join(known, ", "));
}

// `--name=value` or `--name value` with the value missing; true if it is this option.
static bool take_word(llvm::StringRef text, const char* option, const char* what,
                      llvm::ArrayRef<llvm::StringRef> known, std::string& value, int& code) {
  if (!text.consume_front(option) || (!text.empty() && !text.consume_front("="))) return false;
  if (!llvm::is_contained(known, text)) code = refuse_word(what, option, text, known);
  value = text.str();
  return true;
}

bool take_compile_option(const std::string& word, CompileOptions& options, int& code) {
  llvm::StringRef text = word;
  if (text == "--stats") {
    options.stats = true;
    return true;
  }
  if (text == "--footrace-print-commands") {
    options.print_commands = true;
    return true;
  }
  if (text == "--embed-summary") {
    options.embeds_summary = true;
    return true;
  }
  if (text == "--runtime=count") {
    options.counts_checks = true;
    return true;
  }
  if (text == "-fprove") {
    options.embeds_ir = true;
    return true;
  }
  if (text.consume_front("--use-proofs=")) {
    options.proofs_file = std::filesystem::absolute(text.str());
    if (!std::filesystem::exists(options.proofs_file))
      code = usage_error("there are no proofs in '" + options.proofs_file +
                         "'; 'footrace prove --proofs=FILE' writes them");
    return true;
  }
  if (text == "--validate-placement") {
    options.validates_placement = true;
    return true;
  }
  return take_word(text, "--preset", "preset", presets, options.preset, code) ||
         take_word(text, "--precision", "precision", precisions, options.precision, code) ||
         take_word(text, "--lto", "step", lto_steps, options.lto, code);
}

// Accesses that the optimiser would invent (docs/decisions/023): a variable read before the loop that may update it, what lies
// behind the end of a search, gaps between the elements of a strided loop, elements whose condition is false.
static constexpr const char* optimiser_options[] = {
    "-disable-licm-promotion", "-enable-early-exit-vectorization=0", "-enable-interleaved-mem-accesses=0",
    "-enable-if-conversion=0"};

OptionGroups compile_flags(const Installation& installation, const CompileOptions& options) {
  OptionGroups groups;
  // Reports need lines. Any -g of the user's comes later and wins.
  groups.push_back({"-gline-tables-only"});
  // The front end of -fsanitize=thread with its pass switched off: attributes, __has_feature and no_sanitize
  // work as users of ThreadSanitizer know them.
  groups.push_back({"-Xclang", "-fsanitize=thread"});
  for (const char* part : {"memory-accesses", "func-entry-exit", "atomics", "memintrinsics"})
    groups.push_back({"-Xclang", "-mllvm", "-Xclang", std::string("-tsan-instrument-") + part + "=0"});
  for (const char* option : optimiser_options) groups.push_back({"-Xclang", "-mllvm", "-Xclang", option});
  // A comparison with a literal would become one of all its bytes.
  groups.push_back({"-fno-builtin-strcmp", "-fno-builtin-strncmp"});
  // What clang's driver does for ThreadSanitizer: threads count together. An option of the user's wins.
  groups.push_back({"-fprofile-update=atomic"});
  groups.push_back({"-fpass-plugin=" + installation.pass_plugin});
  std::vector<std::string> pass_options = {"-footrace-preset=" + options.preset};
  if (!options.precision.empty()) pass_options.push_back("-footrace-precision=" + options.precision);
  if (!options.lto.empty()) pass_options.push_back("-footrace-lto=" + options.lto);
  if (!options.explain_file.empty()) pass_options.push_back("-footrace-explain=" + options.explain_file);
  if (options.stats) pass_options.push_back("-footrace-stats");
  // A check that is decided in line would not be counted.
  if (options.counts_checks) pass_options.push_back("-footrace-inline-checks=0");
  if (options.embeds_ir) pass_options.push_back("-footrace-embed-ir");
  if (!options.proofs_file.empty()) pass_options.push_back("-footrace-use-proofs=" + options.proofs_file);
  if (options.validates_placement) pass_options.push_back("-footrace-note-accesses");
  // Options of a plugin are known only once it is loaded, which -fpass-plugin does too late.
  groups.push_back({"-Xclang", "-load", "-Xclang", installation.pass_plugin});
  for (const std::string& option : pass_options) groups.push_back({"-Xclang", "-mllvm", "-Xclang", option});
  return groups;
}

OptionGroups link_flags(const Installation& installation, const std::string& reporter_object) {
  // -Xlinker, not -Wl: a path may contain commas. The runtime must be whole, or interceptors that nothing
  // calls by name would be missing; its symbols are exported so that shared libraries use it. The long
  // spelling of --library hides it from CMake, which takes what it sees in the compiler's link command (paths
  // of archives, -l) for libraries of the language.
  std::filesystem::path archive = installation.runtime_archive;
  return {{"-Xlinker", "--library-path=" + archive.parent_path().string()},
          {"-Xlinker", "--whole-archive", "-Xlinker", "--library=:" + archive.filename().string(), "-Xlinker",
           "--no-whole-archive"},
          {"-Xlinker", reporter_object},
          {"-Xlinker", "--dynamic-list=" + installation.runtime_symbols},
          {"-lpthread", "-ldl", "-lrt"}};
}

OptionGroups shared_link_flags() {
  // The runtime is in the executable, so its symbols are undefined here even where -z defs asks for none.
  return {{"-Xlinker", "-z", "-Xlinker", "undefs"}};
}

// The link step places the checks; only lld can load the pass.
static OptionGroups lto_link_flags(const Installation& installation) {
  OptionGroups groups = {{"-fuse-ld=lld"}, {"-Xlinker", "--load-pass-plugin=" + installation.pass_plugin}};
  for (const char* option : optimiser_options) groups.push_back({"-Xlinker", "-mllvm", "-Xlinker", option});
  return groups;
}

// The archive of the runtime that takes the detector's place; empty: none does.
static std::string other_runtime(const Installation& installation, const CompileOptions& options) {
  if (options.validates_placement) return installation.recording_archive;
  return options.counts_checks ? installation.counting_archive : "";
}

// Other runtimes are for whole programs: nothing of them is exported, and they report nothing.
static OptionGroups other_link_flags(const std::string& archive) {
  return {{"-Xlinker", "--whole-archive", "-Xlinker", archive, "-Xlinker", "--no-whole-archive"},
          {"-lpthread", "-ldl"}};
}

static void append(std::vector<std::string>& command, const OptionGroups& groups) {
  for (const auto& group : groups) command.insert(command.end(), group.begin(), group.end());
}

// Says why the command line cannot be instrumented; 0 if it can.
static int refuse(const ClangArguments& found) {
  if (!found.foreign_target.empty())
    return usage_error("'" + found.foreign_target +
                       "' is not supported: Footrace checks programs for x86-64 Linux");
  if (!found.other_sanitizers.empty())
    return usage_error("-fsanitize=" + found.other_sanitizers[0] +
                       " cannot be combined with Footrace: both replace the allocator and library functions; "
                       "build the program twice");
  if (found.link == LinkKind::Executable && !found.static_option.empty())
    return usage_error(
        "'" + found.static_option +
        "' is not supported: the runtime intercepts library functions, which needs dynamic linking; "
        "leave it out");
  return 0;
}

int plan_compilation(const Installation& installation, Language language, const CompileOptions& options,
                     const std::vector<std::string>& arguments, Compilation& compilation) {
  std::vector<std::string>& command = compilation.command;
  command = {installation.clang};
  if (language == Language::Cxx) command.push_back("--driver-mode=g++");

  ClangArguments found = inspect_clang_arguments(arguments);
  if (found.inputs.empty()) { // a question to the compiler, such as --version
    command.insert(command.end(), arguments.begin(), arguments.end());
    return 0;
  }
  if (int code = refuse(found)) return code;
  if (found.link == LinkKind::Executable || found.link == LinkKind::Shared)
    if (std::string object = find_tsan_object(found.inputs); !object.empty())
      return usage_error("'" + object +
                         "' was compiled for ThreadSanitizer's runtime (it calls __tsan_func_entry), which "
                         "Footrace replaces; "
                         "compile it with footrace, or without -fsanitize=thread");

  if (found.link == LinkKind::Executable && found.links_libstdcxx_statically)
    note(
        "warning: with -static-libstdc++ the synchronisation inside libstdc++ (exception_ptr, static locals) "
        "cannot be seen and may give false alarms; leave it out for this build");

  // Our flags are always the same, so some are without effect in any one step; clang must not warn about
  // those.
  command.push_back("--start-no-unused-arguments");
  if (!found.leaves_unchecked) append(command, compile_flags(installation, options));
  // clang's driver passes them on only for sanitizers that it knows to be on.
  for (const std::string& list : found.ignore_lists)
    append(command, {{"-Xclang", "-fsanitize-ignorelist=" + list}});
  const std::string other = other_runtime(installation, options);
  if (found.link == LinkKind::Executable && !other.empty()) {
    if (!std::filesystem::exists(other))
      return usage_error(
          llvm::Twine(options.validates_placement ? "--validate-placement" : "--runtime=count") + " needs '" +
          other + "', which is only in a build tree; run footrace from a checkout");
    append(command, other_link_flags(other));
  } else if (found.link == LinkKind::Executable) {
    if (!compilation.reporter_object.open(installation)) return ExitFailure;
    append(command, link_flags(installation, compilation.reporter_object.name()));
  }
  if (found.link != LinkKind::None && options.lto == "link") append(command, lto_link_flags(installation));
  command.push_back("--end-no-unused-arguments");

  // What must come last still comes before "--", after which clang expects files only.
  auto end_of_options = llvm::find(arguments, "--");
  command.insert(command.end(), arguments.begin(), end_of_options);
  if (found.asks_for_thread_sanitizer) command.push_back("-fno-sanitize=thread");
  if (found.link == LinkKind::Shared) append(command, shared_link_flags());
  command.insert(command.end(), end_of_options, arguments.end());

  if (options.print_commands) llvm::errs() << as_shell_command(command) << '\n';
  return 0;
}

static int compile(Language language, const std::vector<std::string>& arguments) {
  CompileOptions options;
  std::vector<std::string> rest;
  bool ours = true; // until "--"
  for (const std::string& word : arguments) {
    int code = 0;
    if (word == "--") ours = false;
    if (ours && take_compile_option(word, options, code)) {
      if (code) return code;
      continue;
    }
    rest.push_back(word);
  }
  if (options.embeds_summary && !embedder()) {
    Arguments words = {language == Language::Cxx ? "c++" : "cc"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return forward_to_analysis(words);
  }
  std::optional<Installation> installation = find_installation();
  if (!installation) return ExitFailure;
  Compilation compilation;
  if (int code = plan_compilation(*installation, language, options, rest, compilation)) return code;
  if (options.embeds_summary) return embedder()(*installation, language, compilation, rest);
  return replace_with(compilation.command);
}

int command_cc(const std::vector<std::string>& arguments) { return compile(Language::C, arguments); }
int command_cxx(const std::vector<std::string>& arguments) { return compile(Language::Cxx, arguments); }

int run_beside_clang(const std::string& tool, const std::vector<std::string>& arguments) {
  std::optional<Installation> installation = find_installation();
  if (!installation) return ExitFailure;
  std::vector<std::string> command = {
      (std::filesystem::path(installation->clang).parent_path() / tool).string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return replace_with(command);
}

} // namespace footrace::driver
