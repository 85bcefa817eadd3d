// A report in the formats that people and other tools read. One file for each.
#pragma once

#include "findings/report/report.h"

#include <string>

namespace footrace::findings {

struct WriteOptions {
  bool color = false;
  bool all = false; // also what needs no action
  std::string root; // paths below it are written relative to it
};

// For people: 80 columns.
std::string write_report_text(const Report& report, const WriteOptions& options);
// Our own schema (docs/findings.md), one finding per line, with what merging added: `footrace report` reads it again.
std::string write_report_json(const Report& report, const WriteOptions& options);
// SARIF 2.1.0, within the limits of GitHub's code scanning.
std::string write_report_sarif(const Report& report, const WriteOptions& options);
// GitLab's code quality report.
std::string write_report_gitlab(const Report& report, const WriteOptions& options);
// JUnit's XML as CI servers read it: a test case for each finding, which fails if it needs action.
std::string write_report_junit(const Report& report, const WriteOptions& options);
// "file:line:column: error: text", for editors.
std::string write_report_lines(const Report& report, const WriteOptions& options);
// Workflow commands that make GitHub show the findings at their lines.
std::string write_report_github(const Report& report, const WriteOptions& options);
// One file without references to others.
std::string write_report_html(const Report& report, const WriteOptions& options);

// `footrace explain`: one finding in words; the others of the report may protect the same memory.
std::string write_explanation(const Report& report, const Entry& entry, const WriteOptions& options);

struct Advice {
  std::string text;
  std::string lock; // that the other accesses hold, if that is what is missing
};
// What would order the two accesses: a suggestion, made of what was seen and nothing else.
Advice advice_for(const Report& report, const Finding& finding);
// Accesses to the same memory in all findings: "Bank::audit reads it with mutex_ (bank.cpp:17)".
struct Protection {
  std::string function, use, locks;
  SourceLocation location;
  bool has_lock = false;
};
std::vector<Protection> protections_of(const Report& report, const Finding& finding);

// -- What formats have in common

// "data race on bank.transfers_: update in Bank::transfer, unordered with update in Bank::transfer".
std::string headline(const Finding& finding);
// The first access whose file is known; nullptr if there is none.
const Access* primary_access(const Finding& finding);
// What is printed instead of control characters, so that a name in a report cannot command a terminal.
std::string printable(std::string_view text);
// A word that is longer than `most` loses its middle.
std::string shortened(const std::string& word, std::size_t most);

} // namespace footrace::findings
