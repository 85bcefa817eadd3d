#include "findings/report/writers.h"

#include "findings/text.h"

namespace footrace::findings {
namespace {

// XML 1.0 knows no control characters, not even escaped; a damaged character of UTF-8 would spoil the whole file.
std::string xml(std::string_view text) {
  std::string clean;
  for (std::size_t i = 0; i < text.size();) {
    auto code = static_cast<unsigned char>(text[i]);
    std::size_t size = code < 0x80 ? 1 : code >= 0xf0 ? 4 : code >= 0xe0 ? 3 : code >= 0xc2 ? 2 : 0;
    bool is_whole = size != 0 && code < 0xf5 && i + size <= text.size();
    for (std::size_t k = 1; is_whole && k < size; ++k)
      is_whole = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
    // U+FFFE, U+FFFF and surrogates are not allowed either.
    if (is_whole && size == 3) {
      auto second = static_cast<unsigned char>(text[i + 1]);
      is_whole = !(code == 0xed && second >= 0xa0) &&
                 !(code == 0xef && second == 0xbf && static_cast<unsigned char>(text[i + 2]) >= 0xbe) &&
                 !(code == 0xe0 && second < 0xa0);
    }
    if (!is_whole) {
      clean += '?';
      ++i;
      continue;
    }
    switch (text[i]) {
    case '&':
      clean += "&amp;";
      break;
    case '<':
      clean += "&lt;";
      break;
    case '>':
      clean += "&gt;";
      break;
    case '"':
      clean += "&quot;";
      break;
    default:
      if (code < 0x20 && code != '\n' && code != '\t')
        clean += '?';
      else
        clean += text.substr(i, size);
    }
    i += size;
  }
  return clean;
}

std::string test_name(const Entry& entry) {
  return headline(entry.finding) + " [" + entry.finding.fingerprint.substr(0, 8) + "]";
}

void write_case(const Report& report, const Entry& entry, const WriteOptions& options, std::string& out) {
  const Finding& finding = entry.finding;
  const Access* primary = primary_access(finding);
  out +=
      "    <testcase name=\"" + xml(test_name(entry)) + "\" classname=\"footrace." + xml(finding.rule) + '"';
  if (primary)
    out += " file=\"" + xml(relative_path(primary->location.file, options.root)) + "\" line=\"" +
           std::to_string(primary->location.line) + '"';
  if (needs_action(report, entry)) {
    out += ">\n      <failure type=\"" + xml(finding.rule) + "\" message=\"" + xml(headline(finding)) +
           "\">" + xml(write_text(finding, {})) + "</failure>\n    </testcase>\n";
    return;
  }
  std::string why = !entry.suppressed.empty()     ? "suppressed: " + entry.suppressed
                    : is_proved_safe(finding)     ? "proved safe"
                    : entry.state == State::Known ? "known: it is in the baseline"
                                                  : "fixed";
  if (entry.state == State::Fixed) // a test that passes again
    out += "/>\n";
  else
    out += ">\n      <skipped message=\"" + xml(why) + "\"/>\n    </testcase>\n";
}

} // namespace

std::string write_report_junit(const Report& report, const WriteOptions& options) {
  std::size_t failures = count_needing_action(report), tests = report.entries.size();
  std::size_t skipped = tests - failures - count_of(report, State::Fixed);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  // CI servers take a file without tests for a broken one.
  std::string counts = " tests=\"" + std::to_string(std::max<std::size_t>(tests, 1)) + "\" failures=\"" +
                       std::to_string(failures) + "\" errors=\"0\" skipped=\"" + std::to_string(skipped) +
                       '"';
  out += "<testsuites name=\"footrace\"" + counts + ">\n  <testsuite name=\"footrace\"" + counts + ">\n";
  for (const Entry& entry : report.entries) write_case(report, entry, options, out);
  if (tests == 0) out += "    <testcase name=\"no race was found\" classname=\"footrace\"/>\n";
  return out + "  </testsuite>\n</testsuites>\n";
}

} // namespace footrace::findings
