// `footrace bench`: options -> tools -> builds -> interleaved runs -> report -> tables and files.
#include "bench/build.h"
#include "bench/real.h"
#include "bench/scaling.h"
#include "bench/subject.h"
#include "bench/table.h"
#include "bench/writers.h"
#include "driver/analysis.h"
#include "driver/messages.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;

namespace footrace::bench {
namespace {

constexpr const char* kChecksEveryAccess = "fasttrack"; // its checks are the accesses that may race
constexpr unsigned kTriesToRace = 3;
constexpr int kRaceFound = 66, kWrongChecksum = 3;

std::string program_file(const Options& options, const Tool& tool, const Program& program) {
  return options.build_dir + "/" + tool.folder() + "/" + program.name;
}

std::string judge_program(const Measurement& m) {
  switch (m.exit_code) {
  case 0:
    return "";
  case kRaceFound:
    return "a race was reported in a race-free program:\n" + m.errors;
  case kWrongChecksum:
    return "wrong checksum: " + m.output + m.errors;
  case kTimedOut:
    return "took too long";
  }
  return "exit code " + std::to_string(m.exit_code) + ": " + m.errors;
}

std::vector<std::string> arguments_of(const Options& options, unsigned threads) {
  return {"--threads", std::to_string(threads), "--size", options.size};
}

// Checks executed under the preset's placement. Counts do not change from run to run of a program, so they are
// kept beside it.
std::optional<double> count_checks(Workshop& workshop, const Tool& counting, const Program& program,
                                   unsigned threads) {
  std::string file = program_file(workshop.options, counting, program);
  std::string kept = file + "." + workshop.options.size + "." + std::to_string(threads) + ".counts";
  std::error_code error;
  if (!fs::exists(kept, error) || fs::last_write_time(kept) < fs::last_write_time(file)) {
    fs::remove(kept);
    RunRequest request = {.command = {file}, .environment = {{"FOOTRACE_COUNT_FILE", kept}}};
    llvm::append_range(request.command, arguments_of(workshop.options, threads));
    if (workshop.run(request).exit_code != 0) {
      fs::remove(kept, error);
      return std::nullopt;
    }
  }
  auto counts = read_counters(kept);
  return counts["reads"] + counts["writes"] + counts["ranges"] + counts["atomics"];
}

void add_check_ratios(Workshop& workshop, const Program& program, unsigned threads, std::vector<Row>& rows) {
  workshop.progress.detail(std::string(program.name) + ": counting checks");
  auto accesses =
      count_checks(workshop, counting_tool(workshop.installation, kChecksEveryAccess), program, threads);
  for (Row& row : rows) {
    auto tool = llvm::find_if(workshop.tools, [&](const Tool& t) { return t.name == row.preset; });
    if (tool->kind != ToolKind::Preset) continue;
    row.checks = count_checks(workshop, counting_tool(workshop.installation, row.preset), program, threads);
    if (!row.checks || !accesses)
      fail(workshop, row, "the run that counts checks failed");
    else if (*accesses > 0)
      row.check_ratio = *row.checks / *accesses;
    if (row.checks && *row.checks > 0 && row.slow_path) row.slow_path_ratio = *row.slow_path / *row.checks;
  }
}

// The known race must be found. A schedule can hide one, so there are a few tries.
void expect_races(Workshop& workshop, const Program& program, unsigned threads, std::vector<Row>& rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const Tool& tool = workshop.tools[i];
    if (!tool.finds_races()) continue;
    workshop.progress.detail(std::string(program.name) + " --racy with " + tool.name);
    RunRequest request = {.command = {program_file(workshop.options, tool, program), "--racy", "--size",
                                      "small", "--threads", std::to_string(std::max(2u, threads))}};
    bool found = false;
    for (unsigned i = 0; i < kTriesToRace && !found; ++i)
      found = workshop.run(request).exit_code == kRaceFound;
    if (!found)
      fail(workshop, rows[i],
           "no race was reported with --racy, in " + std::to_string(kTriesToRace) + " tries");
  }
}

std::vector<Program> chosen_programs(const Options& options) {
  std::vector<Program> chosen;
  for (const Program& program : programs_of(options.what))
    if (options.programs.empty() ||
        llvm::any_of(options.programs, [&](const std::string& name) { return is_called(program, name); }))
      chosen.push_back(program);
  return chosen;
}

bool build_programs(Workshop& workshop, const std::vector<Program>& programs) {
  std::vector<Tool> counting = {counting_tool(workshop.installation, kChecksEveryAccess)};
  for (const Tool& tool : workshop.tools) {
    if (tool.kind != ToolKind::Preset) continue;
    Tool counts = counting_tool(workshop.installation, tool.name);
    if (llvm::none_of(counting, [&](const Tool& other) { return other.name == counts.name; }))
      counting.push_back(counts);
  }
  std::vector<BuildJob> jobs;
  for (const Program& program : programs)
    for (const std::vector<Tool>* tools : {&workshop.tools, &counting})
      for (const Tool& tool : *tools)
        jobs.push_back({source_of(program), program_file(workshop.options, tool, program), &tool, {}});
  return build_all(jobs, workshop.progress);
}

bool measure_programs(Workshop& workshop, Report& report) {
  std::vector<Program> programs = chosen_programs(workshop.options);
  if (!build_programs(workshop, programs)) return false;
  workshop.progress.total(programs.size() * workshop.options.threads.size());
  for (unsigned threads : workshop.options.threads)
    for (const Program& program : programs) {
      workshop.progress.step(std::string(program.name) + ", " + std::to_string(threads) +
                             (threads == 1 ? " thread" : " threads"));
      Subject subject = {program.name, program.group, threads,
                         [&](const Tool& tool) {
                           RunRequest request = {.command = {program_file(workshop.options, tool, program)}};
                           llvm::append_range(request.command, arguments_of(workshop.options, threads));
                           return request;
                         },
                         [](const Tool&, const Measurement& m) { return judge_program(m); }};
      std::vector<Row> rows = measure_subject(workshop, subject);
      for (Row& row : rows) row.kernel = program.kernel, row.style = program.style;
      add_check_ratios(workshop, program, threads, rows);
      // The race does not depend on the number of threads.
      if (program.has_racy && threads == workshop.options.threads[0])
        expect_races(workshop, program, threads, rows);
      llvm::append_range(report.rows, rows);
    }
  report.means = means_of(report.rows);
  report.kernels = kernels_of(report.rows);
  return true;
}

bool measure(Workshop& workshop, Report& report) {
  switch (workshop.options.what) {
  case What::Programs:
  case What::Idioms:
    return measure_programs(workshop, report);
  case What::Real:
    return measure_real(workshop, report);
  case What::Scaling:
    return measure_scaling(workshop, report);
  }
  return false;
}

// Returns false after saying why.
bool write_file(const std::string& file, const std::string& text) {
  if (file.empty()) return true;
  std::ofstream out(file, std::ios::binary);
  if (out << text && out.flush()) return true;
  driver::failure("cannot write '" + file + "'; name a file in a folder that exists");
  return false;
}

int run(const Options& options) {
  if (!fs::exists(checkout() + "/bench/programs/programs.def"))
    return driver::failure("the programs are not where they were when footrace was built, in '" + checkout() +
                           "/bench/programs'; 'bench' works from a checkout: run ./footrace bench there");
  auto installation = driver::find_installation();
  if (!installation) return driver::ExitFailure;
  for (const std::string* file : {&installation->counting_archive, &installation->measure})
    if (!fs::exists(*file))
      return driver::failure("'" + *file +
                             "' does not exist: 'bench' works from a checkout; run ./footrace bench there");

  Workshop workshop = {options, *installation, tools_for(*installation, options.presets), {}};
  Report report;
  report.options = options;
  report.machine = describe_machine();
  for (const Tool& tool : workshop.tools) report.tools.push_back(tool.name);
  if (!measure(workshop, report)) return driver::ExitFailure;
  for (const Row& row : report.rows)
    for (const std::string& why : row.failures)
      report.failures.push_back(row.program + " with " + row.preset + ": " + why.substr(0, why.find('\n')));

  print_table(report);
  bool written = write_file(options.json, as_json(report));
  if (write_file(options.html, as_html(report)))
    llvm::errs() << "footrace: charts are in " << options.html << "\n";
  else
    written = false;
  written &= options.results.empty() ||
             write_file(options.results, with_section(read_text(options.results), report));
  return written && report.failures.empty() ? driver::ExitSuccess : driver::ExitFailure;
}

} // namespace
} // namespace footrace::bench

namespace footrace::driver {

int analyse_bench(const Arguments& arguments) {
  bench::Options options;
  if (int code = bench::parse_options(arguments, options)) return code;
  return bench::run(options);
}

} // namespace footrace::driver
