#include "bench/real.h"

#include "bench/source_packages.h"
#include "driver/process.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>
#include <fstream>
#include <map>

namespace fs = std::filesystem;

namespace footrace::bench {
namespace {

struct Recipe {
  const char *name, *packages;
  std::string folder() const { return checkout() + "/bench/real"; }
  std::string script() const { return folder() + "/" + name + ".sh"; }
};

const Recipe recipes[] = {
#define FR_REAL(name, packages) {#name, packages},
#include "bench/real.def"
};

constexpr unsigned kThreads = 4; // what the recipes ask for

std::string shell_word(const std::string& word) { return driver::as_shell_command({word}); }

std::string folder_of(const Workshop& workshop, const Tool& tool, const Recipe& recipe) {
  return workshop.options.build_dir + "/real/" + tool.name + "/" + recipe.name;
}

// How much work, in units of size small.
unsigned scale_of(const std::string& size) { return size == "small" ? 1 : size == "large" ? 24 : 6; }

// Text that compresses like prose: words of a fixed vocabulary, the frequent ones first.
std::string make_input(const Workshop& workshop) {
  size_t size = scale_of(workshop.options.size) * (size_t(4) << 20);
  std::string file = workshop.options.build_dir + "/real/input-" + workshop.options.size + ".txt";
  std::error_code error;
  if (fs::file_size(file, error) == size && !error) return file;
  fs::create_directories(fs::path(file).parent_path());
  uint64_t state = 1;
  auto random = [&state] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 33; };
  std::vector<std::string> words(4096);
  for (std::string& word : words)
    for (uint64_t i = 0, letters = 2 + random() % 9; i < letters; ++i) word += char('a' + random() % 26);
  std::string text;
  text.reserve(size + 16);
  while (text.size() < size) {
    uint64_t rank = random() % 4096;
    text += words[rank * (random() % 4096) / 4096];
    text += random() % 12 ? ' ' : '\n';
  }
  text.resize(size);
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

// Copies the sources and runs the recipe's script. Returns what went wrong, "" if nothing.
std::string build(const Workshop& workshop, const Tool& tool, const Recipe& recipe,
                  const std::map<std::string, std::string>& sources) {
  std::string folder = folder_of(workshop, tool, recipe), stamp = folder + ".built";
  std::error_code error;
  fs::file_time_type built = fs::last_write_time(stamp, error);
  std::string script = read_text(recipe.script());
  if (!error && built >= tool.changed_at && read_text(stamp) == script) return "";

  fs::remove_all(folder, error);
  fs::create_directories(folder);
  for (const auto& [package, source] : sources)
    fs::copy(source, folder + "/" + package, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  std::string log = folder + ".log";
  std::string command =
      "cd " + shell_word(folder) + " && export CC=" + shell_word(driver::as_shell_command(tool.cc)) +
      " CXX=" + shell_word(driver::as_shell_command(tool.cxx)) +
      " PLAIN_CC=" + shell_word(workshop.installation.clang) + " RECIPES=" + shell_word(recipe.folder()) +
      " FLAGS=" + shell_word(llvm::join(kCommonFlags, " ")) + " && bash -e -c " +
      shell_word(". " + shell_word(recipe.script()) + " && build");
  if (std::system(("{ " + command + "; } </dev/null >" + shell_word(log) + " 2>&1").c_str()) != 0)
    return "cannot be built with " + tool.name + "; see " + log;
  std::ofstream(stamp) << script;
  return "";
}

// By their first lines: the summary of a report says it once more.
double count_reports(const std::string& text) {
  double count = 0;
  for (llvm::StringRef line : llvm::split(text, '\n'))
    count += line.starts_with("WARNING: ") && line.contains(": data race");
  return count;
}

// Fetches and builds with every tool. Returns why that is not possible, "" if it was.
std::string prepare(Workshop& workshop, SourcePackages& packages, const Recipe& recipe) {
  std::map<std::string, std::string> sources;
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(recipe.packages).split(names, ' ');
  for (llvm::StringRef name : names) {
    workshop.progress.detail(std::string(recipe.name) + ": fetching the source package " + name);
    std::string why, source = packages.unpack(name.str(), why);
    if (source.empty()) return "the source package '" + name.str() + "' cannot be had: " + why;
    sources[name.str()] = source;
  }
  for (const Tool& tool : workshop.tools) {
    workshop.progress.detail(std::string(recipe.name) + ": building with " + tool.name);
    if (std::string why = build(workshop, tool, recipe, sources); !why.empty()) return why;
  }
  return "";
}

std::vector<Row> measure(Workshop& workshop, const Recipe& recipe, const std::string& input) {
  std::string expected; // what base printed
  std::map<std::string, double> reports;
  std::string folder = workshop.options.build_dir + "/real/run";
  Subject subject = {recipe.name, Group::Real, kThreads,
                     [&](const Tool& tool) {
                       std::error_code ignored;
                       fs::remove_all(folder, ignored);
                       fs::create_directories(folder);
                       RunRequest request = {.command = {"/bin/bash", "-o", "pipefail", "-e", "-c",
                                                         ". " + shell_word(recipe.script()) + " && run"},
                                             .folder = folder};
                       // Races in them are findings, not failures: the program's own exit code counts.
                       request.environment = {{"B", folder_of(workshop, tool, recipe)},
                                              {"RECIPES", recipe.folder()},
                                              {"INPUT", input},
                                              {"SCALE", std::to_string(scale_of(workshop.options.size))},
                                              {"TSAN_OPTIONS", "exitcode=0"},
                                              {"FOOTRACE_OPTIONS", "exitcode=0"}};
                       return request;
                     },
                     [&](const Tool& tool, const Measurement& m) -> std::string {
                       double& most = reports[tool.name];
                       most = std::max(most, count_reports(m.errors));
                       if (m.exit_code != 0)
                         return "exit code " + std::to_string(m.exit_code) + ": " + m.errors;
                       if (tool.kind == ToolKind::Base) expected = m.output;
                       if (m.output != expected)
                         return "its output differs from the uninstrumented program's";
                       return "";
                     }};
  std::vector<Row> rows = measure_subject(workshop, subject);
  for (size_t i = 0; i < rows.size(); ++i)
    if (workshop.tools[i].finds_races()) rows[i].races = reports[rows[i].preset];
  return rows;
}

} // namespace

std::vector<std::string> real_program_names() {
  std::vector<std::string> names;
  for (const Recipe& recipe : recipes) names.push_back(recipe.name);
  return names;
}

bool measure_real(Workshop& workshop, Report& report) {
  report.options.threads = {kThreads};
  SourcePackages packages(workshop.options.build_dir + "/real/apt");
  std::string input = make_input(workshop);
  workshop.progress.total(workshop.options.programs.empty() ? std::size(recipes)
                                                            : workshop.options.programs.size());
  for (const Recipe& recipe : recipes) {
    if (!workshop.options.programs.empty() && !llvm::is_contained(workshop.options.programs, recipe.name))
      continue;
    workshop.progress.step(recipe.name);
    if (std::string why = prepare(workshop, packages, recipe); !why.empty()) {
      report.skipped.push_back(std::string(recipe.name) + ": " + why);
      workshop.progress.skipped(report.skipped.back());
      continue;
    }
    llvm::append_range(report.rows, measure(workshop, recipe, input));
  }
  report.means = means_of(report.rows);
  return true;
}

} // namespace footrace::bench
