// What became of every access, for `footrace explain-checks`: one line per access and per check that stands for several, appended to a
// file as fields separated by tabs:
//   access | check   file   line   column   function   text
#pragma once

#include "placement/plan.h"

#include <string>

namespace llvm {
class LLVMContext;
}

namespace footrace {

enum class Phase : uint8_t {
  Early, // before the vectoriser: speaks about what it covers only, the rest is the late phase's
  Late,
};

class Explanation {
public:
  void add(const Plan& plan, Phase phase);
  // Appends to the file; an error is reported to the context.
  void write(const std::string& file, llvm::LLVMContext& context) const;

private:
  void add_line(const char* what, const llvm::Instruction& at, const std::string& text);

  std::string lines_;
};

} // namespace footrace
