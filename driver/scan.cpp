// `footrace scan`: translation units -> units (in processes of their own, a few at a time) -> one program -> findings.
#include "driver/commands.h"
#include "driver/installation.h"
#include "driver/jobs.h"
#include "driver/messages.h"
#include "driver/process.h"
#include "driver/scan_options.h"
#include "driver/scan_witness.h"
#include "driver/temporary_folder.h"
#include "findings/json.h"
#include "findings/text.h"
#include "scan/domain/report.h"
#include "scan/il/text.h"
#include "scan/units/cache.h"
#include "scan/units/merge.h"

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

std::vector<std::string> unit_command(const Installation& installation, const CompileCommand& command,
                                      const std::string& output) {
  std::vector<std::string> words = {installation.scan_unit,
                                    output,
                                    command.folder,
                                    command.source,
                                    llvm::utohexstr(command.digest(), /*LowerCase=*/true, 16),
                                    installation.clang_resources};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  return words;
}

class Scan {
public:
  Scan(const ScanOptions& options, Installation installation)
      : options_(options), installation_(std::move(installation)) {}

  int unit();
  int merge();
  int project();

private:
  bool find_commands(std::vector<CompileCommand>& commands);
  // Makes the units that are not in the cache and adds all of them to the program.
  bool make_units(const std::vector<CompileCommand>& commands, const std::string& cache_folder);
  void add(Unit unit);
  unsigned job_limit() const {
    return options_.jobs ? options_.jobs : std::max(1u, std::thread::hardware_concurrency());
  }
  int report();
  std::vector<findings::Finding> find_races(const scan::il::Program& program);
  void confirm(const scan::il::Program& program, const std::vector<scan::domain::Race>& races,
               std::vector<findings::Finding>& found);
  bool open_findings(std::ofstream& file);

  const ScanOptions& options_;
  Installation installation_;
  scan::units::Merger merger_;
  std::vector<CompileCommand> commands_; // of the whole project: a witness of one file may need the others
  scan::witness::Library library_;
  Incomplete incomplete_;
};

int Scan::unit() {
  std::vector<CompileCommand> commands;
  if (!find_commands(commands)) return ExitUsage;
  const std::string output = fs::absolute(options_.output);
  return run_and_wait(unit_command(installation_, commands.front(), output));
}

int Scan::merge() {
  for (const std::string& file : options_.files) {
    scan::units::ReadResult read = scan::units::read_unit(file);
    if (read.error.empty()) {
      add(std::move(read.unit));
      continue;
    }
    failure(read.error);
    ++incomplete_.units_lost;
  }
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
  if (folder.empty()) folder = temporary.path();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return failure("cannot make the folder '" + folder + "': " + error.message() +
                   "; give another with --cache");
  if (!make_units(commands, fs::absolute(folder))) return ExitFailure;
  return report();
}

bool Scan::find_commands(std::vector<CompileCommand>& commands) {
  for (const std::string& file : options_.files) {
    if (fs::exists(file)) continue;
    usage_error("the source file '" + file + "' does not exist");
    return false;
  }
  if (options_.build.empty()) {
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
  std::vector<const CompileCommand*> missing;
  for (const CompileCommand& command : commands) {
    if (std::optional<Unit> unit = options_.no_cache ? std::nullopt : cache.find(command)) {
      add(std::move(*unit));
      continue;
    }
    missing.push_back(&command);
    jobs.push_back({unit_command(installation_, command, cache.file_of(command))});
  }
  const bool terminal = isatty(STDERR_FILENO);
  if (commands.size() > 1 || terminal)
    note("reading " + llvm::Twine(jobs.size()) + " of " + llvm::Twine(commands.size()) + " files" +
         (jobs.size() < commands.size() ? " (the others have not changed)" : ""));
  size_t ended = 0;
  run_jobs(jobs, job_limit(), [&](size_t index, int code) {
    ++ended;
    const CompileCommand& command = *missing[index];
    if (terminal) llvm::errs() << "\r\033[K[" << ended << "/" << jobs.size() << "] " << command.source;
    scan::units::ReadResult read;
    if (code == 0) read = scan::units::read_unit(cache.file_of(command));
    if (terminal && (code || !read.error.empty() || !read.unit.errors.empty())) llvm::errs() << "\r\033[K";
    if (code == 0 && read.error.empty()) {
      add(std::move(read.unit));
      return;
    }
    ++incomplete_.units_lost;
    failure("'" + command.source + "' could not be read: " +
            (code ? "the front end ended with code " + std::to_string(code) : read.error));
  });
  if (terminal && !jobs.empty()) llvm::errs() << "\r\033[K";
  return incomplete_.units_lost < commands.size();
}

void Scan::add(Unit unit) {
  if (!unit.errors.empty()) {
    ++incomplete_.units_with_errors;
    note("'" + unit.source + "' has errors; only what clang understood is looked at:");
    constexpr size_t shown = 3;
    for (const std::string& error : llvm::ArrayRef(unit.errors).take_front(shown)) note("  " + error);
    if (unit.errors.size() > shown) note("  and " + llvm::Twine(unit.errors.size() - shown) + " more");
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

std::vector<findings::Finding> Scan::find_races(const scan::il::Program& program) {
  scan::domain::Options domain;
  domain.domain = options_.domain;
  if (options_.witnesses.empty()) return scan::domain::scan(program, domain);
  const scan::domain::Summaries summaries = scan::domain::summarize(program, domain);
  const std::vector<scan::domain::Race> races = scan::domain::pair(program, summaries);
  std::vector<findings::Finding> found;
  for (const scan::domain::Race& race : races) found.push_back(scan::domain::report(race, program));
  confirm(program, races, found);
  return found;
}

void Scan::confirm(const scan::il::Program& program, const std::vector<scan::domain::Race>& races,
                   std::vector<findings::Finding>& found) {
  TemporaryFolder scratch;
  const std::string folder = fs::absolute(options_.witnesses).lexically_normal();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    failure("cannot make the folder '" + folder + "' for witnesses: " + error.message());
    return;
  }
  Witnesses witnesses(installation_, commands_, folder, scratch.path(), job_limit());
  unsigned confirmed = 0;
  for (size_t i = 0; i < races.size(); ++i)
    confirmed += witnesses.confirm(races[i], program, library_, found[i]);
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
       llvm::Twine(program.methods.size()) + " functions");
  if (incomplete_.units_lost) note(llvm::Twine(incomplete_.units_lost) + " files could not be looked at");
  if (incomplete_.units_with_errors)
    note(llvm::Twine(incomplete_.units_with_errors) +
         " files were looked at in part because they have errors");
  if (!found.empty()) return ExitRaces;
  return incomplete_.any() ? ExitFailure : ExitSuccess;
}

} // namespace

int command_scan(const Arguments& arguments) {
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
  case ScanMode::Project:
    return scan.project();
  }
  return ExitFailure;
}

} // namespace footrace::driver
