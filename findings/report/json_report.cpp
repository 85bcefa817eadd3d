#include "findings/json.h"
#include "findings/report/writers.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace footrace::findings {

// A finding's own line with fields added at its end, so that any reader of findings reads it.
std::string write_report_json(const Report& report, const WriteOptions&) {
  std::string text;
  for (const Entry& entry : report.entries) {
    std::string line = write_json(entry.finding);
    line.resize(line.size() - 2); // "}\n"
    std::string more;
    llvm::raw_string_ostream stream(more);
    llvm::json::OStream out(stream);
    out.object([&] {
      if (entry.state != State::Unknown) out.attribute("state", llvm::StringRef(to_text(entry.state)));
      if (!entry.suppressed.empty()) out.attribute("suppressed", llvm::json::fixUTF8(entry.suppressed));
      if (!entry.history.empty()) out.attribute("history", llvm::json::fixUTF8(entry.history));
      out.attribute("needs_action", needs_action(report, entry));
      out.attributeArray("programs", [&] {
        for (const std::string& program : entry.programs) out.value(llvm::json::fixUTF8(program));
      });
      out.attributeArray("places", [&] {
        for (const auto& pair : entry.places)
          out.array([&] {
            for (const SourceLocation& place : pair) out.value(llvm::json::fixUTF8(to_text(place, true)));
          });
      });
    });
    text += line + ',' + more.substr(1) + '\n';
  }
  return text;
}

} // namespace footrace::findings
