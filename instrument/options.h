// Options of the pass. They are LLVM command-line options, so clang takes them with
//   -fpass-plugin=P -Xclang -load -Xclang P -mllvm -footrace-...
#pragma once

#include "facts/escape.h"

namespace llvm {
class LLVMContext;
}

namespace footrace {

struct PassOptions {
  bool stats = false;
  bool function_entry = true;
  bool inline_checks = true;     // the same-epoch test in line, the call only when it fails
  bool memory_intrinsics = true; // may replace memcpy, memmove, memset by the runtime's
  RaceFreedomOptions race_freedom;
};

// The options as given; nothing after telling the user about one that is wrong.
std::optional<PassOptions> read_options(llvm::LLVMContext& context);

} // namespace footrace
