// What a program of the suite says about itself in its comments.
//
//   // RACE            this line must appear as an access of a reported race, and no unmarked line may
//   // RACE(a,b)       the same, and the lines that share a label must be reported as one pair, once
//   // RACE(a) COVERED  the same, but a check at another line may cover the access with presets that do not check every access; then the
//                      race at that line is the one to be reported
//   // NORACE          looks racy, must not be reported; the same as no mark, for the reader
//   // FLAGS: ...      further compiler arguments           // ARGS: ...      arguments of the program
//   // OPTIONS: ...    further FOOTRACE_OPTIONS             // ENV: NAME=VALUE ...
//   // EXIT: n         expected exit code; default 66 with a RACE line, 0 without
//   // RUNS: n         runs per level                       // TIMEOUT: s    per run; default 60
//   // LEVELS: O0 O2   default O0 O1 O2 O3                  // PINNED: no    not repeated on one processor
//   // LIBRARY: file   compiled with -shared; its path is the program's first argument; its marks count, too
//   // EXPECT-TEXT: r  a regular expression that must match what the program wrote to stderr; repeatable
//   // REJECT-TEXT: r  one that must not match; repeatable
//   // EXPECT-OUT: r   a regular expression that must match what the program wrote to stdout; repeatable
// %S is the folder of the source, %T the scratch folder.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace footrace::e2e {

// A place in a program under test: file name without folders, and line.
using Place = std::pair<std::string, unsigned>;

struct Marks {
  std::set<Place> racy;
  std::set<Place>
      covered; // of those, the ones that are certain to be reported only if every access has its own check
  std::map<std::string, std::set<Place>> labels; // label -> the one or two places of that race
  std::vector<std::string> flags, arguments, options, environment, levels{"O0", "O1", "O2", "O3"};
  std::vector<std::string> expected_text, rejected_text, expected_output;
  std::string library;
  int exit_code = -1;
  int runs = 1;
  int timeout_seconds = 60;
  bool pinned = true;
};

// Adds what `source` says to `marks`. Returns an error text, empty on success.
std::string read_marks(const std::string& source, const std::string& scratch, Marks& marks);

std::string file_name(const std::string& path);
std::string folder_of(const std::string& path);

} // namespace footrace::e2e
