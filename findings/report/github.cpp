// GitHub shows ten errors and ten warnings of a step, so what needs action comes first and the rest is left out.
#include "findings/report/writers.h"

namespace footrace::findings {
namespace {

std::string escaped(std::string_view text, bool is_property) {
  std::string result;
  for (char c : text) {
    switch (c) {
    case '%':
      result += "%25";
      break;
    case '\r':
      result += "%0D";
      break;
    case '\n':
      result += "%0A";
      break;
    case ':':
      result += is_property ? "%3A" : ":";
      break;
    case ',':
      result += is_property ? "%2C" : ",";
      break;
    default:
      result += c;
    }
  }
  return result;
}

const char* command_of(Level level) {
  switch (level) {
  case Level::Error:
    return "error";
  case Level::Warning:
    return "warning";
  case Level::Note:
    break;
  }
  return "notice";
}

} // namespace

std::string write_report_github(const Report& report, const WriteOptions& options) {
  std::string out;
  for (const Entry& entry : report.entries) {
    const Finding& finding = entry.finding;
    const Access* primary = primary_access(finding);
    if (!needs_action(report, entry) || !primary) continue;
    out += std::string("::") + command_of(finding.level) +
           " file=" + escaped(relative_path(primary->location.file, options.root), true) +
           ",line=" + std::to_string(primary->location.line);
    if (primary->location.column != 0) out += ",col=" + std::to_string(primary->location.column);
    out += ",title=" + escaped("footrace: " + rule_title(finding), true) + "::";
    std::string text = headline(finding) + " (" + evidence_text(finding) + ")";
    for (const Access& access : finding.accesses)
      text += "\n" + use_text(access) + " at " +
              to_text(SourceLocation{relative_path(access.location.file, options.root), access.location.line,
                                     access.location.column},
                      true) +
              ", " + locks_text(access);
    out += escaped(printable(text.substr(0, text.find('\n'))), false);
    if (std::size_t rest = text.find('\n'); rest != std::string::npos)
      out += escaped(text.substr(rest), false);
    out += '\n';
  }
  return out;
}

} // namespace footrace::findings
