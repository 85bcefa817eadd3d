#include "findings/report/writers.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace footrace::findings {

// Severities of GitLab: info, minor, major, critical, blocker.
static const char* severity_of(const Finding& finding) {
  if (is_proved_safe(finding)) return "info";
  switch (finding.level) {
  case Level::Error:
    return "critical";
  case Level::Warning:
    return "major";
  case Level::Note:
    break;
  }
  return "info";
}

std::string write_report_gitlab(const Report& report, const WriteOptions& options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream out(stream, 1);
  out.array([&] {
    for (const Entry& entry : report.entries) {
      // GitLab compares branches itself; what is suppressed here must not appear there.
      const Access* primary = primary_access(entry.finding);
      if (entry.state == State::Fixed || !entry.suppressed.empty() || !primary) continue;
      out.object([&] {
        out.attribute("description", llvm::json::fixUTF8(headline(entry.finding)));
        out.attribute("check_name", llvm::json::fixUTF8(entry.finding.rule));
        out.attribute("fingerprint", llvm::json::fixUTF8(entry.finding.fingerprint));
        out.attribute("severity", severity_of(entry.finding));
        out.attributeObject("location", [&] {
          out.attribute("path", llvm::json::fixUTF8(relative_path(primary->location.file, options.root)));
          out.attributeObject("lines", [&] { out.attribute("begin", std::max(primary->location.line, 1u)); });
        });
      });
    }
  });
  return text + '\n';
}

} // namespace footrace::findings
