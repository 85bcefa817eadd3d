// Options of the pass. They are LLVM command-line options, so clang takes them with
//   -fpass-plugin=P -Xclang -load -Xclang P -mllvm -footrace-...
#pragma once

#include "facts/escape.h"
#include "placement/placement.h"

#include <string>

namespace llvm {
class Module;
}

namespace footrace {

struct PassOptions {
  std::string preset; // its name
  PlacementOptions placement;
  unsigned solver_queries = 2; // in vain, of one module; placement.solver_queries bounds those of a function
  uint32_t features = 0;       // abi/features.h
  bool note_accesses = false;  // tell the runtime about accesses as well, for validation
  std::string explain_file;    // empty: nobody wants to know
  bool stats = false;
  bool function_entry = true;
  bool inline_checks = true;     // the same-epoch test in line, the call only when it fails
  bool memory_intrinsics = true; // may replace memcpy, memmove, memset by the runtime's
  RaceFreedomOptions race_freedom;
};

// The options as given, or as the compile step has left them in the module (instrument/link_step.h); nothing after telling the
// user about one that is wrong.
std::optional<PassOptions> read_options(const llvm::Module& module);

// Those that the checks depend on, for the link step: the preset and words that read_options knows.
std::string words_of(const PassOptions& options);

// -footrace-lto=link
bool wants_link_step();

} // namespace footrace
