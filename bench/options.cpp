#include "bench/options.h"

#include "bench/catalog.h"
#include "bench/real.h"
#include "bench/tools.h"
#include "driver/compile.h"
#include "driver/messages.h"
#include "driver/process.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <filesystem>

namespace footrace::bench {
namespace {

using driver::usage_error;

std::vector<std::string> split(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  return {parts.begin(), parts.end()};
}

int take_presets(const std::string& value, Options& options) {
  options.presets = split(value);
  for (const std::string& preset : options.presets)
    if (!llvm::is_contained(driver::all_presets(), preset_of(preset)))
      return usage_error("there is no preset '" + preset +
                         "'; choose from: " + llvm::join(driver::all_presets(), ", ") +
                         "; with '+proofs' after it, what 'footrace prove' proves is not checked");
  return 0;
}

int take_threads(const std::string& value, Options& options) {
  options.threads.clear();
  for (llvm::StringRef part : split(value)) {
    unsigned threads = 0;
    if (part.getAsInteger(10, threads) || threads == 0 || threads > 1024)
      return usage_error("--threads takes numbers from 1 to 1024, separated by commas; '" + part +
                         "' is none");
    options.threads.push_back(threads);
  }
  if (options.threads.empty()) return usage_error("--threads needs at least one number");
  return 0;
}

int take_size(const std::string& value, Options& options) {
  options.size = value;
  if (value == "small" || value == "default" || value == "large") return 0;
  return usage_error("there is no size '" + value + "'; choose small, default or large");
}

int take_runs(const std::string& value, Options& options) {
  if (!llvm::StringRef(value).getAsInteger(10, options.runs) && options.runs >= 1 && options.runs <= 1000)
    return 0;
  return usage_error("--runs takes a number from 1 to 1000; '" + value + "' is none");
}

int take_what(What what, Options& options) {
  if (options.what != What::Programs && options.what != what)
    return usage_error(std::string("--") + name_of(options.what) + " and --" + name_of(what) +
                       " are two benchmarks; ask for one at a time");
  options.what = what;
  return 0;
}

int check_programs(const Options& options) {
  if (options.what == What::Scaling && !options.programs.empty())
    return usage_error("--scaling runs a program of its own; leave out --programs");
  std::vector<std::string> names;
  if (options.what == What::Real) names = real_program_names();
  for (const Program& program : programs_of(options.what)) names.push_back(program.name);
  for (const std::string& name : options.programs) {
    auto is_it = [&](const Program& program) { return is_called(program, name); };
    if (llvm::is_contained(names, name) || llvm::any_of(programs_of(options.what), is_it)) continue;
    return usage_error("there is no program '" + name + "'; choose from: " + llvm::join(names, ", "));
  }
  return 0;
}

} // namespace

const char* name_of(What what) {
  switch (what) {
  case What::Programs:
    return "programs";
  case What::Idioms:
    return "idioms";
  case What::Real:
    return "real";
  case What::Scaling:
    return "scaling";
  }
  return "";
}

std::span<const Program> programs_of(What what) {
  if (what == What::Programs) return all_programs();
  if (what == What::Idioms) return all_idioms();
  return {};
}

int parse_options(const std::vector<std::string>& arguments, Options& options) {
  struct Row {
    llvm::StringRef name;
    int (*take)(const std::string&, Options&);
  };
  static const Row rows[] = {
      {"--programs", [](const std::string& v, Options& o) { return o.programs = split(v), 0; }},
      {"--presets", take_presets},
      {"--threads", take_threads},
      {"--size", take_size},
      {"--runs", take_runs},
      {"--json", [](const std::string& v, Options& o) { return o.json = v, 0; }},
      {"--html", [](const std::string& v, Options& o) { return o.html = v, 0; }},
      {"--results", [](const std::string& v, Options& o) { return o.results = v, 0; }},
      {"--build-dir", [](const std::string& v, Options& o) { return o.build_dir = v, 0; }},
  };
  static const What asked_for[] = {What::Idioms, What::Real, What::Scaling}; // programs without a word
  for (llvm::StringRef preset : driver::all_presets()) options.presets.push_back(preset.str());
  options.build_dir = checkout() + "/build/bench";
  for (size_t i = 0; i < arguments.size(); ++i) {
    llvm::StringRef word = arguments[i];
    const What* what =
        llvm::find_if(asked_for, [&](What w) { return word == std::string("--") + name_of(w); });
    if (what != std::end(asked_for)) {
      if (int code = take_what(*what, options)) return code;
      continue;
    }
    auto [name, value] = word.split('=');
    const Row* row = llvm::find_if(rows, [&](const Row& r) { return r.name == name; });
    if (row == std::end(rows)) return usage_error("unknown option '" + word + "'; see 'footrace help bench'");
    if (!word.contains('=')) {
      if (i + 1 == arguments.size()) return usage_error("'" + word + "' needs a value");
      value = arguments[++i];
    }
    if (int code = row->take(value.str(), options)) return code;
  }
  options.build_dir = std::filesystem::absolute(options.build_dir);
  if (options.html.empty())
    options.html = options.build_dir + (options.what == What::Programs
                                            ? "/bench.html"
                                            : std::string("/bench-") + name_of(options.what) + ".html");
  std::vector<std::string> command = {"./footrace", "bench"};
  llvm::append_range(command, arguments);
  options.command = driver::as_shell_command(command);
  return check_programs(options);
}

} // namespace footrace::bench
