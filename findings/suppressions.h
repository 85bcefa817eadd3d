// Suppression files in ThreadSanitizer's syntax: which findings the user does not want to see. And one kind more,
// which `footrace report --suppress` writes: `finding:FINGERPRINT until=DATE added=DATE reason=...`.
#pragma once

#include "findings/finding.h"

namespace footrace::findings {

enum class SuppressionKind { Race, RaceTop, CalledFromLib, Finding, KnownRace };

struct Suppression {
  SuppressionKind kind;
  std::string pattern;
  std::string line; // as written, for print_suppressions
  unsigned hits = 0;
  std::string other{}; // of KnownRace: the pattern for the other access
  // Of `finding:` only.
  std::string reason{};
  std::string until{};    // last day on which it counts, "2026-11-19"; empty: always
  unsigned would_hit = 0; // had it not expired
  bool has_expired(std::string_view today) const { return !until.empty() && until < today; }
};

// TSan's template: a substring, with `*` for anything and `^`, `$` for the ends. An empty text matches
// nothing.
bool matches_pattern(std::string_view pattern, std::string_view text);

class Suppressions {
public:
  // Adds the file's rules. Returns messages with file:line; a bad line does not cost the others. Kinds of
  // TSan's that have no meaning here go to `notes`.
  std::vector<std::string> parse(std::string_view text, std::string_view file,
                                 std::vector<std::string>& notes);
  std::vector<std::string> read(const std::string& file, std::vector<std::string>& notes);

  // Adds the rules of known_races.def, behind all others.
  void add_known_races();

  // Rules that have expired on this day suppress nothing. Without it none expires.
  void set_today(std::string today) { today_ = std::move(today); }

  // The rule that suppresses the finding, with its hit counted, or nullptr.
  const Suppression* match(const Finding& finding);
  const std::vector<Suppression>& rules() const { return rules_; }

private:
  void add_finding_rule(std::string_view text, const std::string& line, const std::string& where,
                        std::vector<std::string>& problems);

  std::vector<Suppression> rules_;
  std::string today_;
};

// "2026-11-19", in UTC.
std::string today();
bool is_date(std::string_view text);

} // namespace footrace::findings
