// `footrace replay`: a trace in, findings and tables out.
#include "detectors/all.h"
#include "driver/commands.h"
#include "driver/messages.h"
#include "driver/replay_options.h"
#include "events/open_trace.h"
#include "findings/json.h"
#include "findings/text.h"
#include "replay/findings.h"
#include "replay/table.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <unistd.h>

namespace footrace::driver {
namespace {

using detectors::Description;
using findings::Finding;

constexpr int ExitRaces = 66; // as of a program with races

// What the paper's tables compare with runs as well, and is not reported of.
std::vector<const Description*> subjects(const ReplayOptions& options) {
  auto all = options.detectors;
  const Description* empty = detectors::find_detector("Empty");
  if (options.table && std::find(all.begin(), all.end(), empty) == all.end()) all.insert(all.begin(), empty);
  return all;
}

int trace_error(const TraceError& error) { return usage_error(error.where + ": " + error.reason); }

// The findings of all detectors; `counts`: how many each one has.
int make_findings(const ReplayOptions& options, std::vector<replay::Report> reports,
                  const std::vector<const Description*>& detectors, replay::FindingList& all,
                  std::vector<u64>& counts) {
  counts.assign(detectors.size(), 0);
  if (reports.empty()) return 0;
  TraceError error;
  const auto source = open_trace(options.files[0], error);
  if (!source) return trace_error(error);
  replay::Witnesses witnesses(std::move(reports));
  if (!witnesses.read(*source)) return trace_error(*source->error());
  const replay::FindingBuilder builder(*source, witnesses.threads());
  std::vector<replay::FindingList> own(detectors.size());
  for (const replay::Race& race : witnesses.races()) {
    const Finding finding = builder.build(race, *detectors[race.report.detector]);
    own[race.report.detector].add(finding);
    all.add(finding);
  }
  for (size_t i = 0; i < own.size(); ++i) counts[i] = own[i].take().size();
  return 0;
}

int write_findings(const std::string& file, const std::vector<Finding>& list) {
  std::ofstream out(file, std::ios::binary);
  for (const Finding& finding : list) out << findings::write_json(finding);
  if (out.flush()) return 0;
  return usage_error("cannot write '" + file + "': " + std::strerror(errno));
}

int show(const ReplayOptions& options, const std::vector<Finding>& list) {
  if (!options.findings.empty())
    if (int code = write_findings(options.findings, list)) return code;
  findings::SourceLines lines;
  findings::TextOptions text;
  text.color = may_colour(STDOUT_FILENO);
  text.source = &lines;
  if (options.text)
    for (const Finding& finding : list) llvm::outs() << findings::write_text(finding, text);
  return 0;
}

// "2 races", "1 race and 3 other findings".
std::string count_of(const std::vector<Finding>& list) {
  const auto races =
      size_t(std::count_if(list.begin(), list.end(), [](const Finding& f) { return f.rule == "data-race"; }));
  const size_t others = list.size() - races;
  std::string text = std::to_string(races) + (races == 1 ? " race" : " races");
  if (others) text += " and " + std::to_string(others) + (others == 1 ? " other finding" : " other findings");
  return text;
}

int merge(const ReplayOptions& options) {
  replay::FindingList all;
  bool is_damaged = false;
  for (const std::string& file : options.files) {
    const auto result = findings::visit_findings(file, [&](Finding finding) { all.add(std::move(finding)); });
    for (const std::string& message : result.messages(file)) failure(message);
    if (!result.could_open) return ExitUsage;
    is_damaged |= !result.problems.empty();
  }
  const auto list = all.take();
  if (int code = show(options, list)) return code;
  llvm::outs() << count_of(list) << '\n';
  return is_damaged ? int(ExitFailure) : list.empty() ? int(ExitSuccess) : ExitRaces;
}

} // namespace

// A recording may end before its run did.
static void tell_unfinished(const std::string& file, const EventSource& source) {
  if (const std::string why = source.unfinished(); !why.empty())
    note("'" + file + "' is not all of the run: " + why);
}

// Detectors, and the table of their costs.
static int run_detectors(const ReplayOptions& options, replay::FindingList& findings, std::string& table,
                         u64& events) {
  if (options.detectors.empty()) return 0;
  TraceError error;
  const auto source = open_trace(options.files[0], error);
  if (!source) return trace_error(error);
  const auto all = subjects(options);
  replay::Run run(all, options.partition);
  if (!run.read(*source, options.writes_read)) return trace_error(*source->error());
  tell_unfinished(options.files[0], *source);
  std::vector<u64> counts;
  if (int code = make_findings(options, run.take_reports(), all, findings, counts)) return code;
  if (options.table)
    table +=
        replay::write_table({run.counts(), run.reading_seconds(), run.measured(), counts, options.times});
  events = run.counts().events;
  return 0;
}

// Second stages behind prefilters, and the table of section 5.2.
static int run_compositions(const ReplayOptions& options, replay::FindingList& findings, std::string& table,
                            u64& events) {
  if (options.compositions.empty()) return 0;
  TraceError error;
  const auto source = open_trace(options.files[0], error);
  if (!source) return trace_error(error);
  replay::ComposedRun run(options.compositions);
  if (!run.read(*source)) return trace_error(*source->error());
  if (options.detectors.empty()) tell_unfinished(options.files[0], *source);
  const replay::FindingBuilder builder(*source, run.threads());
  for (const replay::ComposedReport& report : run.reports) findings.add(builder.build(report));
  if (options.table) table += replay::write_composition(run, options.times);
  events = run.events;
  return 0;
}

int command_replay(const Arguments& arguments) {
  ReplayOptions options;
  if (int code = parse_replay_options(arguments, options)) return code;
  if (options.merge) return merge(options);
  replay::FindingList findings;
  std::string table;
  u64 events = 0;
  if (int code = run_detectors(options, findings, table, events)) return code;
  if (int code = run_compositions(options, findings, table, events)) return code;
  const auto list = findings.take();
  if (int code = show(options, list)) return code;
  llvm::outs() << table << count_of(list) << " in " << events << " events\n";
  return list.empty() ? int(ExitSuccess) : ExitRaces;
}

} // namespace footrace::driver
