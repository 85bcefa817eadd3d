// The process beside the user's program that turns raw races into reports. It symbolises out of the program's
// reach: no lock, allocation or signal of the program can be disturbed by it, nor can a damaged program
// damage it. Rule: every race line gets exactly one answer, after its report is written, because the program
// waits for it.
#pragma once

#include "findings/build.h"
#include "findings/source.h"
#include "findings/suppressions.h"

#include <map>
#include <set>

namespace footrace::findings {

// The answer to a race, one byte on standard output.
enum class Answer : char { Reported = 'R', Suppressed = 'S', Duplicate = 'D' };

class Reporter {
public:
  Reporter() = default;
  ~Reporter();
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  // Handles one line of the protocol; an answer only for a race.
  std::optional<Answer> handle(std::string_view line);
  // The closing lines, once; at "bye" or at the end of the input, whichever comes first.
  void finish();

private:
  void start(const Hello& hello);
  void open_log();
  void open_findings_file();
  void load_suppressions();
  Answer report(const RawRace& race);
  bool must_be_duplicate(const Finding& finding);
  std::string by_variable() const;
  void remember(const Finding& finding);
  void log(const std::string& text);
  void message(const std::string& text); // "footrace: ..." on standard error
  const std::string& option(std::string_view name) const;
  bool has_option(std::string_view name) const;
  std::uint64_t number_option(std::string_view name, std::uint64_t fallback);

  Hello hello_;
  Symbolizer symbolizer_;
  Suppressions suppressions_;
  SourceLines source_;
  // repetition_key() of every finding, each with its objects (object_key) and their callers (caller_keys)
  std::map<std::string, std::map<std::string, std::set<std::string>>> reported_;
  std::set<std::string> defects_; // defect_key() of the same findings
  std::map<std::string, std::pair<std::string, std::uint64_t>>
      variables_; // by Variable::key: its name, its races
  std::uint64_t races_ = 0, left_out_ = 0, report_limit_ = 100, verbosity_ = 0;
  int log_fd_ = 2;
  int findings_fd_ = -1;
  bool color_ = false, finished_ = false;
};

// Reads `input` to its end and answers on `output`. Returns the exit code.
int run_reporter(int input, int output);

} // namespace footrace::findings
