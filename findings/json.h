// JSON lines, written and read back. docs/findings.md is the schema.
#pragma once

#include "findings/finding.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace footrace::findings {

// One line, with its newline.
std::string write_json(const Finding& finding);

struct ReadProblem {
  std::size_t line = 0; // counted from 1; 0: the file as a whole
  std::string reason;
};

// A damaged line never costs the others: `findings` holds every line that could be read.
struct ReadResult {
  std::vector<Finding> findings;
  std::vector<ReadProblem> problems;
  bool could_open = true;
  // "races.jsonl:3: accesses[0].kind: missing".
  std::vector<std::string> messages(std::string_view file) const;
};

ReadResult parse_findings(std::string_view text);
ReadResult read_findings(const std::string& file);
// One after the other, so that a file may be larger than the memory; `findings` stays empty. "-" is standard input.
ReadResult visit_findings(const std::string& file, const std::function<void(Finding)>& take);

} // namespace footrace::findings
