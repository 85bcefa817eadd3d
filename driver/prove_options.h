// The command line of `footrace prove`.
#pragma once

#include "driver/commands.h"
#include "prove/pointsto.h"

#include <string>
#include <vector>

namespace footrace::driver {

enum class ProveFormat { Text, Json, Sv };

struct ProveOptions {
  std::vector<std::string> files, clang_arguments;
  std::string build;     // folder of compile_commands.json; empty: none
  std::string main_file; // the source whose main is meant, where the build makes several programs
  prove::PointsToOptions pointers;
  ProveFormat format = ProveFormat::Text;
  bool stats = false, progress = false, allow_unmodelled = false, assume_queue_transfer = false;
  unsigned long most_pairs = 100; // that are shown as text; 0: all
  unsigned timeout_seconds = 0;   // 0: no limit
  unsigned long memory_limit_mb = 0;
  std::string findings_file; // JSON lines as well; empty: nowhere
  std::string proofs_file;   // where the accesses that are race-free are written; empty: nowhere
  unsigned confirm_runs = 0;
  std::vector<std::string> confirm_arguments; // of the program
  unsigned jobs = 0;                          // 0: one per processor
};

// Returns 0, or the exit code after saying what is wrong.
int parse_prove_options(const Arguments& arguments, ProveOptions& options);

} // namespace footrace::driver
