#include "driver/follow.h"

#include "driver/counters.h"
#include "driver/messages.h"
#include "driver/process.h"
#include "driver/progress.h"
#include "driver/temporary_folder.h"
#include "findings/json.h"
#include "findings/report/writers.h"

#include "llvm/Support/raw_ostream.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <unistd.h>

namespace footrace::driver {
namespace {

constexpr int ExitRaces = 66;
constexpr const char* usual_file = "findings.jsonl"; // which `footrace report` reads by itself

std::string text_from(const std::string& file, std::uintmax_t offset) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(offset));
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::uintmax_t size_of(const std::string& file) {
  std::error_code error;
  std::uintmax_t size = std::filesystem::file_size(file, error);
  return error ? 0 : size;
}

std::set<std::string> fingerprints_of(const std::string& file) {
  std::set<std::string> all;
  if (!file.empty())
    findings::visit_findings(file,
                             [&](findings::Finding finding) { all.insert(std::move(finding.fingerprint)); });
  return all;
}

findings::Report read_report(const std::string& file, std::uintmax_t offset, const std::string& baseline,
                             const std::string& suppressions) {
  findings::Collector collector;
  findings::ReadResult result = findings::parse_findings(text_from(file, offset));
  for (const std::string& message : result.messages(file)) failure(message);
  for (findings::Finding& finding : result.findings) collector.add(std::move(finding));
  if (!baseline.empty())
    for (const std::string& message : collector.add_baseline(baseline)) failure(message);
  findings::Suppressions rules;
  std::vector<std::string> notes;
  if (!suppressions.empty())
    (void)rules.read(suppressions, notes); // the programs have said what is wrong with it
  return collector.finish(rules, findings::today());
}

std::string plural(std::size_t count, const char* one, const char* more) {
  return std::to_string(count) + ' ' + (count == 1 ? one : more);
}

void sum_up(const findings::Report& report, std::size_t processes, const std::string& file) {
  findings::WriteOptions write;
  std::error_code error;
  write.root = std::filesystem::current_path(error).string();
  write.color = may_colour(STDERR_FILENO);
  if (findings::count_needing_action(report) != 0)
    llvm::errs() << findings::write_report_text(report, write) << '\n';
  std::size_t races = report.entries.size() - findings::count_of(report, findings::State::Fixed);
  std::string text = plural(processes, "process", "processes") + ", " + plural(races, "race", "races");
  if (report.has_baseline)
    text += ", " + std::to_string(findings::count_of(report, findings::State::New)) + " new, " +
            std::to_string(findings::count_of(report, findings::State::Fixed)) + " not seen this time";
  if (races != 0) text += "; the findings are in '" + file + "' (footrace report, footrace explain ID)";
  note(text);
}

} // namespace

int follow(const Installation& installation, const std::vector<std::string>& command, RunOptions options,
           const std::string& baseline) {
  if (options.findings.empty()) options.findings = usual_file;
  if (int code = prepare_output_files(options)) return code;
  const TemporaryFolder folder;
  if (!folder.exists())
    return failure("cannot make a temporary folder; set TMPDIR to one that can be written");
  const bool counts = !wants_counters(options);
  if (counts) options.stats_file = folder.path() + "/processes";
  // A test that has a known race must not fail for it.
  if (!baseline.empty()) options.keeps_exit_codes = true;
  const std::uintmax_t before = size_of(options.findings);
  export_run_options(installation, options);
  int code = 0;
  {
    const Progress progress({options.findings, before, counts ? options.stats_file : "",
                             fingerprints_of(baseline), !baseline.empty()});
    code = run_and_wait(command);
  }

  const std::size_t processes = counts ? read_counters(options.stats_file).processes : 0;
  const findings::Report report = read_report(options.findings, before, baseline, options.suppressions);
  if (counts && processes == 0 && report.read == 0) {
    if (before == 0) unlink(options.findings.c_str());
    const int usage =
        usage_error("'" + command[0] +
                    "' is not instrumented, and neither is any program that it started; build them "
                    "with 'footrace c++' or 'footrace cc'");
    return code ? code : usage;
  }
  sum_up(report, processes, options.findings);
  if (code != 0) return code;
  return findings::count_needing_action(report) != 0 ? ExitRaces : ExitSuccess;
}

} // namespace footrace::driver
