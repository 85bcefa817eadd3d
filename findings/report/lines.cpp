// As compilers write their messages, which every editor can jump along: "file:line:column: error: text".
#include "findings/report/writers.h"

namespace footrace::findings {
namespace {

void write_line(std::string& out, const SourceLocation& place, const char* kind, const std::string& text,
                const WriteOptions& options) {
  if (place.file.empty()) return;
  SourceLocation shown{relative_path(place.file, options.root), std::max(place.line, 1u), place.column};
  out += printable(to_text(shown, true) + ": " + kind + ": " + text) + '\n';
}

const char* kind_of(Level level) {
  switch (level) {
  case Level::Error:
    return "error";
  case Level::Warning:
    return "warning";
  case Level::Note:
    break;
  }
  return "note";
}

} // namespace

std::string write_report_lines(const Report& report, const WriteOptions& options) {
  std::string out;
  for (const Entry& entry : report.entries) {
    const Finding& finding = entry.finding;
    const Access* primary = primary_access(finding);
    if (!primary || (!options.all && !needs_action(report, entry))) continue;
    write_line(out, primary->location, kind_of(finding.level),
               headline(finding) + " [" + finding.fingerprint + "]", options);
    for (const Access& access : finding.accesses)
      if (&access != primary)
        write_line(out, access.location, "note",
                   "the other " + use_text(access) + ", in " + function_of(access) + "; " +
                       locks_text(access),
                   options);
  }
  return out;
}

} // namespace footrace::findings
