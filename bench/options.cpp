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

int check_programs(const Options& options) {
  if (options.what == What::Scaling && !options.programs.empty())
    return usage_error("--scaling runs a program of its own; leave out --programs");
  for (const std::string& name : options.programs) {
    bool known = options.what == What::Real ? has_real_program(name) : find_program(name) != nullptr;
    if (known) continue;
    std::vector<std::string> names;
    if (options.what == What::Real)
      names = real_program_names();
    else
      for (const Program& program : all_programs()) names.push_back(program.name);
    return usage_error("there is no program '" + name + "'; choose from: " + llvm::join(names, ", "));
  }
  return 0;
}

} // namespace

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
  for (llvm::StringRef preset : driver::all_presets()) options.presets.push_back(preset.str());
  options.build_dir = checkout() + "/build/bench";
  for (size_t i = 0; i < arguments.size(); ++i) {
    llvm::StringRef word = arguments[i];
    if (word == "--real" || word == "--scaling") {
      What what = word == "--real" ? What::Real : What::Scaling;
      if (options.what != What::Programs && options.what != what)
        return usage_error("--real and --scaling are two benchmarks; ask for one at a time");
      options.what = what;
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
    options.html = options.build_dir + (options.what == What::Programs ? "/bench.html"
                                        : options.what == What::Real   ? "/bench-real.html"
                                                                       : "/bench-scaling.html");
  std::vector<std::string> command = {"./footrace", "bench"};
  llvm::append_range(command, arguments);
  options.command = driver::as_shell_command(command);
  return check_programs(options);
}

} // namespace footrace::bench
