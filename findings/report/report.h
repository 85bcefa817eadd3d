// Findings of many runs, machines and analyses as one list: what every format of `footrace report` is written from.
// Invariant: one entry for a fingerprint; an entry's evidence is the sum of what was read.
#pragma once

#include "findings/finding.h"
#include "findings/objects.h"
#include "findings/suppressions.h"

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace footrace::findings {

// Against a baseline; Unknown without one.
enum class State { Unknown, New, Known, Fixed };
std::string_view to_text(State state);

struct Entry {
  Finding finding; // the one that says most: of a run before of an analysis
  State state = State::Unknown;
  std::vector<std::vector<SourceLocation>> places; // of all findings with this fingerprint, each once
  std::set<std::string> programs;                  // without folders: `check` has a new one for every run
  std::string suppressed;                          // why; empty: it is not
  std::string history; // of a database (history.h): "first seen 2026-11-17 in v1, in 3 of 9 runs"
};

// An earlier run, of a database.
struct PastRun {
  std::string time, commit;
  std::size_t findings = 0;
  std::size_t added = 0; // of these, never seen before
};

struct Report {
  std::vector<Entry> entries;      // to be acted on first; fixed ones last
  std::size_t files = 0, read = 0; // findings files, findings in them
  bool has_baseline = false;
  std::multimap<std::string, std::size_t> by_memory; // memory_keys() of the entries
  std::vector<PastRun> runs;                         // the latest ones with this one, the oldest first
  std::vector<std::string> proofs;                   // "race-free: a.cpp, b.cpp", by `prove`
  std::vector<std::string> expired; // suppressions whose date has passed and that would still match
  std::vector<std::string> unused;  // suppressions of findings that nobody reported
};

// What somebody has to look at: not fixed, not suppressed, not proved safe and, with a baseline, new.
bool needs_action(const Report& report, const Entry& entry);
std::size_t count_of(const Report& report, State state);
std::size_t count_needing_action(const Report& report);

// A finding that only analyses suspect, in files that a proof covers.
bool is_proved_safe(const Finding& finding);

// What entries about the same memory have in common.
std::set<std::string> memory_keys(const Finding& finding);
std::set<std::string> variable_keys(const Finding& finding);

// Entries about the same variable that are dealt with alike (new, known, suppressed, ...) belong to the first of them, which is in the list at `leader`.
struct Group {
  std::size_t leader;
  std::vector<std::size_t> others;
};
std::vector<Group> groups_of(const Report& report);

class Collector {
public:
  // Reads and merges. Returns messages, ready to be printed; a damaged line does not cost the others.
  std::vector<std::string> add_file(const std::string& file);
  std::vector<std::string> add_baseline(const std::string& file);
  void add(Finding finding);
  // Whether every file that was named could be opened.
  bool could_open() const { return could_open_; }
  bool has_damage() const { return has_damage_; }

  // `today` is "2026-11-19", for suppressions that expire.
  Report finish(const Suppressions& suppressions, const std::string& today);

private:
  std::vector<std::string> read(const std::string& file, const std::function<void(Finding)>& take);
  void drop_counted(Finding& finding);
  void apply_proofs(Report& report);
  void apply_baseline(Report& report);

  std::vector<Entry> entries_;
  std::map<std::string, std::size_t> by_fingerprint_;
  std::set<std::string> counted_; // evidence, with what it comes from
  std::map<std::string, Finding> baseline_;
  std::vector<Finding> proofs_;
  std::size_t files_ = 0, read_ = 0;
  bool has_baseline_ = false, could_open_ = true, has_damage_ = false;
};

// -- For the writers

// "observed 3 times, suspected".
std::string evidence_text(const Finding& finding);
// "Bank::transfer" and the like for the place of an access.
std::string function_of(const Access& access);
// "write", "update", "call of push_back".
std::string use_text(const Access& access);
// "no locks", "mutex_ (shared)", "not known".
std::string locks_text(const Access& access);
std::string lock_name(const HeldLock& lock);
// "T2 'worker'", "main thread".
std::string thread_name(const Finding& finding, const Access& access);
// "12 races", "1 race".
std::string counted(std::size_t count, const std::string& noun);
// The path below `root`, if it is there; formats that are read beside a checkout want that.
std::string relative_path(const std::string& file, const std::string& root);

} // namespace footrace::findings
