// Suppression files in ThreadSanitizer's syntax: which findings the user does not want to see.
#pragma once

#include "findings/finding.h"

namespace footrace::findings {

enum class SuppressionKind { Race, RaceTop, CalledFromLib };

struct Suppression {
  SuppressionKind kind;
  std::string pattern;
  std::string line; // as written, for print_suppressions
  unsigned hits = 0;
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

  // The rule that suppresses the finding, with its hit counted, or nullptr.
  const Suppression* match(const Finding& finding);
  const std::vector<Suppression>& rules() const { return rules_; }

private:
  std::vector<Suppression> rules_;
};

} // namespace footrace::findings
