#include "findings/report/writers.h"

namespace footrace::findings {

std::string headline(const Finding& finding) {
  std::string text = rule_title(finding) + " on " + subject_of(finding);
  if (finding.accesses.empty()) return text;
  const Access& first = finding.accesses[0];
  text += ": " + use_text(first) + " in " + function_of(first);
  if (finding.accesses.size() < 2) return text;
  const Access& second = finding.accesses[1];
  text += ", unordered with " + use_text(second) + " in ";
  return text + (function_of(second) == function_of(first) ? "the same function" : function_of(second));
}

const Access* primary_access(const Finding& finding) {
  for (const Access& access : finding.accesses)
    if (!access.location.file.empty()) return &access;
  return nullptr;
}

std::string printable(std::string_view text) {
  std::string result;
  for (char c : text) {
    auto code = static_cast<unsigned char>(c);
    if (code == '\t')
      result += ' ';
    else if (code < 0x20 || code == 0x7f)
      result += '?';
    else
      result += c;
  }
  return result;
}

std::string shortened(const std::string& word, std::size_t most) {
  if (word.size() <= most) return word;
  std::size_t half = (most - 3) / 2;
  std::size_t head = half, tail = word.size() - half;
  // Not inside of a character of several bytes.
  while (head > 0 && (static_cast<unsigned char>(word[head]) & 0xc0) == 0x80) --head;
  while (tail < word.size() && (static_cast<unsigned char>(word[tail]) & 0xc0) == 0x80) ++tail;
  return word.substr(0, head) + "..." + word.substr(tail);
}

} // namespace footrace::findings
