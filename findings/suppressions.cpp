#include "findings/suppressions.h"

#include "findings/frames.h"

#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <array>
#include <ctime>

namespace footrace::findings {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view spaces = " \t\r\f\v";
  std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

// Matches `pattern` (no anchors) at the start of `text`; `to_end` asks for the whole of it.
bool matches_here(std::string_view pattern, std::string_view text, bool to_end) {
  // Greedy glob with one point to return to: the latest star.
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (true) {
    if (p == pattern.size() && (!to_end || t == text.size())) return true;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && t < text.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != std::string_view::npos && resume < text.size()) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
}

bool matches_frame(const Suppression& rule, const StackFrame& frame) {
  return matches_pattern(rule.pattern, frame.function) || matches_pattern(rule.pattern, frame.linkage_name) ||
         matches_pattern(rule.pattern, frame.location.file) || matches_pattern(rule.pattern, frame.module);
}

bool matches_access(const Suppression& rule, const Access& access) {
  const Stack& stack = access.stack;
  switch (rule.kind) {
  case SuppressionKind::Race:
    return std::ranges::any_of(stack, [&](const StackFrame& frame) { return matches_frame(rule, frame); });
  case SuppressionKind::RaceTop:
    return !stack.empty() && matches_frame(rule, stack.front());
  case SuppressionKind::CalledFromLib: {
    // The intercepted function itself is no library's; its caller is.
    std::size_t caller = access.intercepted.empty() ? 0 : 1;
    return caller < stack.size() && matches_pattern(rule.pattern, stack[caller].module);
  }
  case SuppressionKind::Finding:
  case SuppressionKind::KnownRace:
    break;
  }
  return false;
}

// The function is in the library's own code, from the access out to the user's call.
bool has_library_function(const Access& access, std::string_view pattern) {
  for (const StackFrame& frame : access.stack) {
    if (!has_library_code(frame)) return false;
    if (matches_pattern(pattern, frame.function)) return true;
  }
  return false;
}

bool matches_known_race(const Suppression& rule, const Finding& finding) {
  if (finding.accesses.size() != 2) return false;
  const Access &a = finding.accesses[0], &b = finding.accesses[1];
  return (has_library_function(a, rule.pattern) && has_library_function(b, rule.other)) ||
         (has_library_function(b, rule.pattern) && has_library_function(a, rule.other));
}

bool matches_finding(const Suppression& rule, const Finding& finding) {
  if (rule.kind == SuppressionKind::Finding) return rule.pattern == finding.fingerprint;
  if (rule.kind == SuppressionKind::KnownRace) return matches_known_race(rule, finding);
  for (const Access& access : finding.accesses)
    if (matches_access(rule, access)) return true;
  if (rule.kind != SuppressionKind::Race || !finding.memory || finding.memory->region != Region::Global)
    return false;
  return matches_pattern(rule.pattern, finding.memory->name) ||
         matches_pattern(rule.pattern, object_name(*finding.memory)) ||
         matches_pattern(rule.pattern, finding.memory->module);
}

} // namespace

bool is_date(std::string_view text) {
  if (text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (i == 4 || i == 7 ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
  return text.substr(5, 2) >= "01" && text.substr(5, 2) <= "12" && text.substr(8) >= "01" &&
         text.substr(8) <= "31";
}

std::string today() {
  std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts);
  return text.data();
}

bool matches_pattern(std::string_view pattern, std::string_view text) {
  if (text.empty()) return false;
  bool from_start = pattern.starts_with('^');
  if (from_start) pattern.remove_prefix(1);
  // Elsewhere than at the end `$` stands for itself: clang calls lambdas $_0.
  bool to_end = pattern.ends_with('$');
  if (to_end) pattern.remove_suffix(1);
  for (std::size_t start = 0; start <= text.size(); ++start) {
    if (matches_here(pattern, text.substr(start), to_end)) return true;
    if (from_start) return false;
  }
  return false;
}

// "FINGERPRINT until=DATE added=DATE reason=the rest of the line".
void Suppressions::add_finding_rule(std::string_view text, const std::string& line, const std::string& where,
                                    std::vector<std::string>& problems) {
  Suppression rule{SuppressionKind::Finding, {}, line};
  rule.pattern = text.substr(0, text.find(' '));
  text.remove_prefix(rule.pattern.size());
  for (text = trim(text); !text.empty(); text = trim(text)) {
    std::string_view word = text.substr(0, text.find(' '));
    if (text.starts_with("reason=")) {
      rule.reason = text.substr(7);
      break;
    }
    if (word.starts_with("until=")) {
      rule.until = word.substr(6);
      if (!is_date(rule.until)) {
        problems.push_back(where + "'" + rule.until + "' is not a date such as 2026-11-19");
        return;
      }
    } else if (!word.starts_with("added=")) {
      problems.push_back(where + "'" + std::string(word) +
                         "' is not known after a fingerprint; known are until=, added=, reason=");
      return;
    }
    text.remove_prefix(word.size());
  }
  rules_.push_back(std::move(rule));
}

std::vector<std::string> Suppressions::parse(std::string_view text, std::string_view file,
                                             std::vector<std::string>& notes) {
  static constexpr std::array kinds = {std::pair("race", SuppressionKind::Race),
                                       std::pair("race_top", SuppressionKind::RaceTop),
                                       std::pair("called_from_lib", SuppressionKind::CalledFromLib),
                                       std::pair("finding", SuppressionKind::Finding)};
  static constexpr std::array ignored = {"deadlock", "mutex", "thread", "signal"};
  std::vector<std::string> problems;
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(trim(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    std::string where = std::string(file) + ':' + std::to_string(number) + ": ";
    std::size_t colon = line.find(':');
    if (colon == std::string::npos) {
      problems.push_back(where + "'" + line + "' has no kind; write race:" + line);
      continue;
    }
    std::string kind = line.substr(0, colon);
    std::string pattern(trim(std::string_view(line).substr(colon + 1)));
    if (std::ranges::find(ignored, kind) != ignored.end()) {
      notes.push_back(where + "'" + kind +
                      ":' is accepted and has no effect: footrace makes no such reports");
      continue;
    }
    auto known =
        std::ranges::find(kinds, kind, [](const auto& entry) { return std::string_view(entry.first); });
    if (known == kinds.end())
      problems.push_back(where + "unknown kind '" + kind +
                         "'; known are race, race_top, called_from_lib, finding");
    else if (pattern.empty())
      problems.push_back(where + "'" + kind + ":' has no pattern; '" + kind +
                         ":*' would suppress everything");
    else if (known->second == SuppressionKind::Finding)
      add_finding_rule(pattern, line, where, problems);
    else
      rules_.push_back({known->second, pattern, line});
  }
  return problems;
}

std::vector<std::string> Suppressions::read(const std::string& file, std::vector<std::string>& notes) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return {"cannot read suppressions file '" + file + "': " + buffer.getError().message() +
            "; nothing is suppressed"};
  llvm::StringRef text = (*buffer)->getBuffer();
  return parse({text.data(), text.size()}, file, notes);
}

void Suppressions::add_known_races() {
#define FR_KNOWN_RACE(name, one, another, what)                                                              \
  rules_.push_back({.kind = SuppressionKind::KnownRace,                                                      \
                    .pattern = one,                                                                          \
                    .line = "library_races=0: " name,                                                        \
                    .other = another});
#include "findings/known_races.def"
#undef FR_KNOWN_RACE
}

const Suppression* Suppressions::match(const Finding& finding) {
  for (Suppression& rule : rules_) {
    if (!matches_finding(rule, finding)) continue;
    if (!today_.empty() && rule.has_expired(today_)) {
      ++rule.would_hit;
      continue;
    }
    ++rule.hits;
    return &rule;
  }
  return nullptr;
}

} // namespace footrace::findings
