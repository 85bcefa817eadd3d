// The command line of `footrace scan`.
#pragma once

#include "scan/domain/rules.h"

#include <optional>
#include <string>
#include <vector>

namespace footrace::driver {

enum class ScanMode {
  Project, // units of a build folder, or sources given
  Unit,    // one source -> its unit file
  Merge,   // unit files -> findings
  List,    // the sources of a build folder, for whatever makes units elsewhere
};

struct ScanOptions {
  ScanMode mode = ScanMode::Project;
  std::string build;              // -p
  std::vector<std::string> files; // sources; unit files for --merge
  std::vector<std::string> flags; // after --
  std::string output;             // -o, of --unit
  std::string depfile;            // --depfile, of --unit: what it was made from, for make and ninja
  std::string findings;           // --findings FILE
  std::string cache;              // --cache FOLDER
  std::string witnesses;          // --witness[=FOLDER]: where they are kept; empty: not asked for
  std::string witness_flags;      // --witness-flags: for linking them
  bool no_cache = false;
  bool json = false; // --format=json
  bool dump_il = false;
  bool windows = false;               // --windows
  bool stats = false;                 // --stats
  std::optional<std::string> explain; // --explain=MEMORY
  unsigned jobs = 0;                  // 0: as many as there are processors
  scan::domain::Domain domain = scan::domain::Domain::Stability;
};

// Nothing after saying what is wrong (exit code 2).
std::optional<ScanOptions> read_scan_options(const std::vector<std::string>& arguments);

} // namespace footrace::driver
