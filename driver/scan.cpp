// `footrace scan`: translation units -> units (in processes of their own, a few at a time) -> one program -> findings.
#include "driver/analysis.h"
#include "driver/installation.h"
#include "driver/jobs.h"
#include "driver/messages.h"
#include "driver/process.h"
#include "driver/scan_options.h"
#include "driver/scan_unit.h"
#include "driver/scan_witness.h"
#include "driver/temporary_folder.h"
#include "findings/expression.h"
#include "findings/json.h"
#include "findings/text.h"
#include "scan/domain/report.h"
#include "scan/il/text.h"
#include "scan/store/store.h"
#include "scan/units/cache.h"
#include "scan/units/embedded.h"
#include "scan/units/merge.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace fs = std::filesystem;

namespace footrace::driver {
namespace {

using scan::units::Cache;
using scan::units::CompileCommand;
using scan::units::Unit;

constexpr int ExitRaces = 66;

// What could not be looked at, in the end as in the middle of a long list.
struct Incomplete {
  unsigned units_with_errors = 0, units_lost = 0;
  bool any() const { return units_with_errors || units_lost; }
};

std::vector<std::string> words_of(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(text, words);
  return {words.begin(), words.end()};
}

bool is_header(const std::string& file) {
  const std::string ending = fs::path(file).extension();
  return ending == ".h" || ending == ".hh" || ending == ".hpp" || ending == ".hxx";
}

class Scan {
public:
  Scan(const ScanOptions& options, Installation installation)
      : options_(options), installation_(std::move(installation)) {}

  int unit();
  int merge();
  int list();
  int project();

private:
  bool find_commands(std::vector<CompileCommand>& commands);
  bool choose_commands(std::vector<CompileCommand>& commands);
  // Makes the units that are not in the cache and adds all of them to the program.
  bool make_units(const std::vector<CompileCommand>& commands, const std::string& cache_folder);
  void add(Unit unit);
  unsigned job_limit() const {
    return options_.jobs ? options_.jobs : std::max(1u, std::thread::hardware_concurrency());
  }
  int report();
  int write_depfile(const std::string& unit);
  bool make_folder(const std::string& folder);
  // Summaries of earlier runs, in that folder.
  bool use_summaries_in(const std::string& folder);
  std::vector<findings::Finding> find_races(const scan::il::Program& program);
  void confirm(const scan::il::Program& program, const scan::domain::Summaries& summaries,
               const std::vector<scan::domain::Race>& races, std::vector<findings::Finding>& found);
  bool open_findings(std::ofstream& file);

  const ScanOptions& options_;
  Installation installation_;
  scan::units::Merger merger_;
  std::optional<scan::store::SummaryStore> store_;
  std::vector<CompileCommand> commands_; // of the whole project: a witness of one file may need the others
  scan::witness::Library library_;
  Incomplete incomplete_;
};

int Scan::unit() {
  std::vector<CompileCommand> commands;
  if (!find_commands(commands)) return ExitUsage;
  const std::string output = fs::absolute(options_.output);
  if (int code = run_and_wait(unit_command(installation_, commands.front(), output))) return code;
  return options_.depfile.empty() ? ExitSuccess : write_depfile(output);
}

int Scan::write_depfile(const std::string& unit) {
  scan::units::ReadResult read = scan::units::read_unit(unit);
  if (!read.error.empty()) return failure(read.error);
  std::ofstream file(options_.depfile, std::ios::binary);
  file << scan::units::write_depfile(read.unit, options_.output);
  return file.flush() ? int(ExitSuccess) : failure("cannot write '" + options_.depfile + "'");
}

int Scan::list() {
  std::vector<CompileCommand> commands;
  if (!find_commands(commands)) return ExitUsage;
  for (const CompileCommand& command : commands) llvm::outs() << command.source << '\n';
  return ExitSuccess;
}

int Scan::merge() {
  for (const std::string& file : options_.files)
    for (scan::units::ReadResult& read : scan::units::read_units(file)) {
      if (read.error.empty()) {
        add(std::move(read.unit));
        continue;
      }
      failure(read.error);
      ++incomplete_.units_lost;
    }
  if (!options_.cache.empty() && !use_summaries_in(options_.cache)) return ExitFailure;
  return report();
}

int Scan::project() {
  std::vector<CompileCommand> commands;
  if (!find_commands(commands)) return ExitUsage;
  TemporaryFolder temporary;
  std::string folder = options_.cache;
  if (folder.empty() && !options_.build.empty() && !options_.no_cache) {
    std::error_code error;
    const fs::path build(options_.build);
    folder = (fs::is_directory(build, error) ? build : build.parent_path()) / ".footrace-scan";
  }
  const bool kept = !folder.empty() && !options_.no_cache;
  if (folder.empty()) folder = temporary.path();
  if (!make_folder(folder)) return ExitFailure;
  if (!make_units(commands, fs::absolute(folder))) return ExitFailure;
  if (kept && !use_summaries_in(folder)) return ExitFailure;
  return report();
}

bool Scan::make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    failure("cannot make the folder '" + folder + "': " + error.message() + "; give another with --cache");
  return !error;
}

bool Scan::use_summaries_in(const std::string& folder) {
  if (!make_folder(folder)) return false;
  const bool ownership = options_.domain == scan::domain::Domain::Ownership;
  const std::string name =
      std::string(ownership ? "ownership" : "stability") + (options_.windows ? "-windows" : "");
  const std::string file = fs::path(folder) / (name + ".summaries");
  // The rules of the analysis are those of this very program.
  store_.emplace(file, scan::units::digest_of_file(installation_.driver).value_or(0));
  return true;
}

bool Scan::find_commands(std::vector<CompileCommand>& commands) {
  if (!choose_commands(commands)) return false;
  // A front end that was built anew may see more than the one that made the units of an earlier run.
  const std::uint64_t reader = scan::units::digest_of_file(installation_.scan_unit).value_or(0);
  for (CompileCommand& command : commands) command.reader = reader;
  return true;
}

bool Scan::choose_commands(std::vector<CompileCommand>& commands) {
  for (const std::string& file : options_.files) {
    if (fs::is_regular_file(file)) continue;
    usage_error(fs::is_directory(file)
                    ? "'" + file + "' is a folder; give source files, or -p for a build folder"
                    : "the source file '" + file + "' does not exist");
    return false;
  }
  if (options_.build.empty()) {
    const bool says_language = llvm::any_of(
        options_.flags, [](const std::string& flag) { return llvm::StringRef(flag).starts_with("-x"); });
    for (const std::string& file : options_.files) {
      if (says_language || scan::units::has_c_or_cxx(file) || is_header(file)) continue;
      usage_error("'" + file + "' is not a C or C++ file by its name; if it is one, say so: -- -x c++");
      return false;
    }
    for (const std::string& file : options_.files)
      commands.push_back(scan::units::command_for(file, options_.flags));
    commands_ = commands;
    return true;
  }
  scan::units::CommandsResult all = scan::units::read_compile_commands(options_.build);
  if (!all.error.empty()) {
    usage_error(all.error);
    return false;
  }
  if (all.commands.empty()) {
    usage_error("there is no C or C++ file in the compile commands of '" + options_.build + "'");
    return false;
  }
  commands_ = all.commands;
  if (options_.files.empty()) {
    commands = std::move(all.commands);
    return true;
  }
  for (const std::string& file : options_.files) {
    const std::string source = fs::absolute(file).lexically_normal();
    auto at = llvm::find_if(all.commands, [&](const CompileCommand& c) { return c.source == source; });
    if (at == all.commands.end()) {
      usage_error("'" + file + "' is not in the compile commands of '" + options_.build + "'");
      return false;
    }
    commands.push_back(*at);
  }
  return true;
}

bool Scan::make_units(const std::vector<CompileCommand>& commands, const std::string& cache_folder) {
  Cache cache(cache_folder);
  std::vector<Job> jobs;
  std::vector<size_t> missing;
  // In the order of the commands, whatever ends first: of two definitions of one name, the first counts.
  std::vector<std::optional<Unit>> units(commands.size());
  for (size_t i = 0; i < commands.size(); ++i) {
    const CompileCommand& command = commands[i];
    if (!options_.no_cache) units[i] = cache.find(command);
    if (units[i]) continue;
    missing.push_back(i);
    jobs.push_back({unit_command(installation_, command, cache.file_of(command))});
  }
  const bool terminal = isatty(STDERR_FILENO);
  if (commands.size() > 1 || terminal)
    note("reading " + llvm::Twine(jobs.size()) + " of " + llvm::Twine(commands.size()) + " files" +
         (jobs.size() < commands.size() ? " (the others have not changed)" : ""));
  size_t ended = 0;
  run_jobs(jobs, job_limit(), [&](size_t index, int code) {
    ++ended;
    const CompileCommand& command = commands[missing[index]];
    if (terminal) llvm::errs() << "\r\033[K[" << ended << "/" << jobs.size() << "] " << command.source;
    scan::units::ReadResult read;
    if (code == 0) read = scan::units::read_unit(cache.file_of(command));
    if (terminal && (code || !read.error.empty() || !read.unit.errors.empty())) llvm::errs() << "\r\033[K";
    if (code == 0 && read.error.empty()) {
      units[missing[index]] = std::move(read.unit);
      return;
    }
    ++incomplete_.units_lost;
    failure("'" + command.source + "' could not be read: " +
            (code ? "the front end ended with code " + std::to_string(code) : read.error));
  });
  if (terminal && !jobs.empty()) llvm::errs() << "\r\033[K";
  for (std::optional<Unit>& unit : units)
    if (unit) add(std::move(*unit));
  return incomplete_.units_lost < commands.size();
}

void Scan::add(Unit unit) {
  if (!unit.errors.empty()) {
    ++incomplete_.units_with_errors;
    note("'" + unit.source + "' has errors; only what clang understood is looked at:");
    constexpr size_t shown = 3;
    for (const std::string& error : llvm::ArrayRef(unit.errors).take_front(shown)) note("  " + error);
    if (unit.errors.size() > shown) note("  and " + llvm::Twine(unit.errors.size() - shown) + " more");
    if (llvm::any_of(unit.errors, [](llvm::StringRef error) { return error.ends_with("file not found"); }))
      note("  what a missing header declares is not seen: install the package that has it, build the project "
           "first if its build makes it, or name its folder with -I");
  }
  library_.add(unit.source, std::move(unit.witness));
  merger_.add(std::move(unit.program));
}

bool Scan::open_findings(std::ofstream& file) {
  if (options_.findings.empty()) return true;
  file.open(options_.findings, std::ios::binary);
  if (file) return true;
  usage_error("cannot write the findings to '" + options_.findings + "'");
  return false;
}

// Every pair that conflicts and is not reported has its reason, and so has what was never compared.
static void print_stats(const scan::domain::Summaries& summaries, const scan::domain::PairingCounts& counts) {
  std::size_t accesses = 0, too_large = 0;
  for (const auto& [name, summary] : summaries) {
    accesses += summary.accesses.all().size();
    too_large += summary.left_out;
  }
  llvm::errs() << "footrace: accesses that are stable: " << accesses << '\n'
               << "footrace: functions with more accesses than are kept: " << too_large << '\n'
               << "footrace: pairs that conflict, reported: " << counts.reported << '\n'
               << "footrace: pairs that conflict, the same defect as a reported one: " << counts.duplicates
               << '\n';
  for (const auto& [doubt, count] : counts.doubted)
    llvm::errs() << "footrace: pairs that conflict, not believed to run at the same time ("
                 << scan::domain::to_text(doubt) << "): " << count << '\n';
}

static void print_explanation(const scan::domain::Explanation& explanation) {
  if (explanation.lines.empty())
    note("no two accesses to '" + explanation.memory +
         "' conflict that are not reported: it may be written nowhere, have one lock everywhere, or lie "
         "behind a pointer that changes");
  for (const std::string& line : explanation.lines) llvm::outs() << line << "\n";
}

std::vector<findings::Finding> Scan::find_races(const scan::il::Program& program) {
  scan::domain::Options domain;
  domain.domain = options_.domain;
  domain.windows = options_.windows;
  if (isatty(STDERR_FILENO)) note("analysing " + llvm::Twine(program.methods.size()) + " functions");
  const scan::domain::Summaries summaries =
      scan::domain::summarize(program, domain, {}, store_ ? &*store_ : nullptr);
  if (store_) {
    note("analysed " + llvm::Twine(store_->analysed()) + " of " + llvm::Twine(program.methods.size()) +
         " functions" +
         (store_->analysed() < program.methods.size() ? " (nothing changed for the others)" : ""));
    if (!store_->save()) note("the summaries cannot be kept: the next run analyses everything again");
    store_.reset(); // as large as the summaries
  }
  scan::domain::PairingCounts counts;
  scan::domain::Explanation explanation{options_.explain.value_or(""), {}};
  const std::vector<scan::domain::Race> races = scan::domain::find_races(
      program, summaries, domain, &counts, options_.explain ? &explanation : nullptr);
  if (options_.stats) print_stats(summaries, counts);
  if (options_.explain) print_explanation(explanation);
  std::vector<findings::Finding> found = scan::domain::report(races, program);
  findings::SourceLines source;
  for (findings::Finding& finding : found) findings::read_source(finding, source);
  if (!options_.witnesses.empty()) confirm(program, summaries, races, found);
  return found;
}

void Scan::confirm(const scan::il::Program& program, const scan::domain::Summaries& summaries,
                   const std::vector<scan::domain::Race>& races, std::vector<findings::Finding>& found) {
  TemporaryFolder scratch;
  const std::string folder = fs::absolute(options_.witnesses).lexically_normal();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    failure("cannot make the folder '" + folder + "' for witnesses: " + error.message());
    return;
  }
  Witnesses witnesses(installation_, commands_, folder, scratch.path(), job_limit(),
                      words_of(options_.witness_flags));
  unsigned confirmed = 0;
  const bool terminal = isatty(STDERR_FILENO);
  for (size_t i = 0; i < races.size(); ++i) {
    if (terminal)
      llvm::errs() << "\r\033[K[" << i + 1 << "/" << races.size() << "] witness of " << found[i].summary;
    confirmed += witnesses.confirm(races[i], program, summaries, library_, found[i]);
  }
  if (terminal) llvm::errs() << "\r\033[K";
  note(llvm::Twine(confirmed) + " of " + llvm::Twine(races.size()) +
       (races.size() == 1 ? " race" : " races") + " confirmed by running a witness");
}

int Scan::report() {
  const scan::il::Program program = merger_.take();
  if (options_.dump_il) llvm::outs() << scan::il::print(program);
  std::ofstream file;
  if (!open_findings(file)) return ExitUsage;

  const std::vector<findings::Finding> found = find_races(program);
  findings::SourceLines source;
  findings::TextOptions text = {.color = may_colour(STDOUT_FILENO), .all_frames = true, .source = &source};
  for (const findings::Finding& finding : found) {
    if (file.is_open()) file << findings::write_json(finding);
    llvm::outs() << (options_.json ? findings::write_json(finding) : findings::write_text(finding, text));
  }
  llvm::outs().flush();
  note(llvm::Twine(found.size()) + (found.size() == 1 ? " race" : " races") + " in " +
       llvm::Twine(program.methods.size()) + (program.methods.size() == 1 ? " function" : " functions"));
  if (unsigned lost = incomplete_.units_lost)
    note(llvm::Twine(lost) + (lost == 1 ? " file" : " files") + " could not be looked at");
  if (unsigned partly = incomplete_.units_with_errors)
    note(llvm::Twine(partly) + (partly == 1 ? " file was looked at in part because it has errors"
                                            : " files were looked at in part because they have errors"));
  if (!found.empty()) return ExitRaces;
  return incomplete_.any() ? ExitFailure : ExitSuccess;
}

} // namespace

int analyse_scan(const Arguments& arguments) {
  std::optional<ScanOptions> options = read_scan_options(arguments);
  if (!options) return ExitUsage;
  std::optional<Installation> installation = find_installation();
  if (!installation) return ExitFailure;
  Scan scan(*options, std::move(*installation));
  switch (options->mode) {
  case ScanMode::Unit:
    return scan.unit();
  case ScanMode::Merge:
    return scan.merge();
  case ScanMode::List:
    return scan.list();
  case ScanMode::Project:
    return scan.project();
  }
  return ExitFailure;
}

} // namespace footrace::driver
