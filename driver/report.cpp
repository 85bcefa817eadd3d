// `footrace report` and `footrace explain`: files of findings in, formats that people and other tools read out.
#include "findings/report/report.h"
#include "driver/commands.h"
#include "driver/messages.h"
#include "driver/report_options.h"
#include "findings/report/history.h"
#include "findings/report/writers.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace footrace::driver {
namespace {

constexpr int ExitRaces = 66; // as of a program with races

using findings::Entry;
using findings::Report;

struct Format {
  const char* name; // the option is --name
  std::string (*write)(const Report&, const findings::WriteOptions&);
};
constexpr Format formats[] = {
    {"text", findings::write_report_text},   {"json", findings::write_report_json},
    {"sarif", findings::write_report_sarif}, {"gitlab", findings::write_report_gitlab},
    {"junit", findings::write_report_junit}, {"github", findings::write_report_github},
    {"html", findings::write_report_html},   {"lines", findings::write_report_lines},
};

// Reads all files of findings; false if one cannot be opened.
bool read_files(const std::vector<std::string>& files, const std::string& baseline,
                findings::Collector& collector) {
  for (const std::string& file : files)
    for (const std::string& message : collector.add_file(file)) failure(message);
  if (!baseline.empty())
    for (const std::string& message : collector.add_baseline(baseline)) failure(message);
  return collector.could_open();
}

// False, after saying why, if the file was named and cannot be read.
bool read_suppressions(const std::string& file, findings::Suppressions& suppressions) {
  if (file.empty()) return true;
  std::vector<std::string> notes;
  std::vector<std::string> problems = suppressions.read(file, notes);
  for (const std::string& problem : problems) failure(problem);
  return std::filesystem::is_regular_file(file);
}

// The entry whose fingerprint begins with `id`; nullptr after saying what is wrong.
const Entry* find_entry(const Report& report, const std::string& id) {
  const Entry* found = nullptr;
  for (const Entry& entry : report.entries) {
    if (!entry.finding.fingerprint.starts_with(id)) continue;
    if (found) {
      usage_error("several findings have an ID that begins with '" + id + "'; give more of it");
      return nullptr;
    }
    found = &entry;
  }
  if (!found)
    usage_error("no finding has the ID '" + id + "'; 'footrace report' lists them" +
                (report.entries.empty() ? " (there is none in these files)" : ""));
  return found;
}

// One "write" of a whole file, so that who reads the old one sees the old or the new.
int write_output(const std::string& file, const std::string& text) {
  if (file == "-") {
    llvm::outs() << text;
    llvm::outs().flush();
    return 0;
  }
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (out.flush()) return 0;
  return usage_error("cannot write '" + file + "': " + std::strerror(errno));
}

int add_suppression(const ReportOptions& options, const Entry& entry) {
  const std::string file = options.suppressions.empty() ? "footrace.supp" : options.suppressions;
  std::ofstream out(file, std::ios::app);
  out << "# " << findings::printable(entry.finding.summary) << '\n'
      << "finding:" << entry.finding.fingerprint;
  if (!options.until.empty()) out << " until=" << options.until;
  out << " added=" << findings::today() << " reason=" << findings::printable(options.reason) << '\n';
  if (!out.flush()) return usage_error("cannot write '" + file + "': " + std::strerror(errno));
  note("'" + file + "' suppresses " + entry.finding.fingerprint + " now" +
       (options.until.empty() ? "" : " until " + options.until) + "; use it with --suppressions " + file);
  return ExitSuccess;
}

findings::WriteOptions write_options(const std::string& root, bool all, bool to_stdout) {
  findings::WriteOptions write;
  write.all = all;
  std::error_code error;
  write.root = root.empty() ? std::filesystem::current_path(error).string()
                            : std::filesystem::canonical(root, error).string();
  write.color = to_stdout && may_colour(STDOUT_FILENO);
  return write;
}

} // namespace

int command_report(const Arguments& arguments) {
  ReportOptions options;
  std::vector<std::string> names;
  for (const Format& format : formats) names.push_back(format.name);
  if (int code = parse_report_options(arguments, names, options)) return code;
  findings::Collector collector;
  if (!read_files(options.files, options.baseline, collector)) return ExitUsage;
  findings::Suppressions suppressions;
  // The file that --suppress writes need not be there yet.
  bool must_exist = options.suppress.empty();
  if (must_exist && !read_suppressions(options.suppressions, suppressions)) return ExitUsage;
  Report report = collector.finish(suppressions, findings::today());
  if (!options.suppress.empty()) {
    const Entry* entry = find_entry(report, options.suppress);
    return entry ? add_suppression(options, *entry) : ExitUsage;
  }
  if (!options.database.empty())
    if (std::string problem = findings::record(options.database, options.commit, findings::now(), report);
        !problem.empty())
      return usage_error(problem);
  for (const auto& [name, file] : options.outputs)
    for (const Format& format : formats)
      if (name == format.name)
        if (int code = write_output(
                file, format.write(report, write_options(options.root, options.all, file == "-"))))
          return code;
  if (findings::count_needing_action(report) != 0) return ExitRaces;
  return collector.has_damage() ? ExitFailure : ExitSuccess;
}

int command_explain(const Arguments& arguments) {
  Arguments files;
  std::string root;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].starts_with("--root="))
      root = arguments[i].substr(7);
    else if (arguments[i] == "--root" && i + 1 < arguments.size())
      root = arguments[++i];
    else if (arguments[i].size() > 1 && arguments[i].starts_with("-"))
      return usage_error("unknown option '" + arguments[i] + "'; see 'footrace help explain'");
    else
      files.push_back(arguments[i]);
  }
  if (files.empty())
    return usage_error("which finding? usage: footrace explain ID [FILES]; 'footrace report' lists IDs");
  const std::string id = files.front();
  files.erase(files.begin());
  if (id.find_first_not_of("0123456789abcdef") != std::string::npos)
    return usage_error(
        "'" + id +
        "' is no ID of a finding: these are up to 16 hexadecimal digits, as 'footrace report' prints them");
  if (int code = use_default_file(files)) return code;
  findings::Collector collector;
  if (!read_files(files, "", collector)) return ExitUsage;
  const Report report = collector.finish({}, findings::today());
  const Entry* entry = find_entry(report, id);
  if (!entry) return ExitUsage;
  return write_output("-", findings::write_explanation(report, *entry, write_options(root, true, true)));
}

} // namespace footrace::driver
