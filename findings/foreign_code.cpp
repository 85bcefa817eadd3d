#include "findings/foreign_code.h"

#include <set>

namespace footrace::findings {
namespace {

constexpr std::size_t most_explained = 2;

std::string advice_on(std::string_view code) {
  if (code.starts_with("libomp."))
    return "The order of OpenMP is seen if its tool Archer is loaded: OMP_TOOL_LIBRARIES=libarcher.so, from "
           "the folder of libomp.so.";
  if (code.starts_with("libgomp."))
    return "The order of OpenMP is seen with libomp and its tool Archer: -fopenmp=libomp, and "
           "OMP_TOOL_LIBRARIES=libarcher.so.";
  return "If it makes such an order, compile it with footrace, say so with __tsan_acquire and "
         "__tsan_release, or suppress the race.";
}

// What a rule for all that goes through it says: without the version of the library.
std::string rule_for(const StackFrame& frame) {
  std::string_view name = file_name(frame.module);
  if (std::size_t end = name.find(".so"); end != std::string_view::npos) name = name.substr(0, end + 3);
  return "race:" + std::string(name);
}

} // namespace

void explain_foreign_code(Finding& finding, Symbolizer& symbolizer) {
  std::set<std::string> explained;
  for (std::size_t i = 0; i < finding.accesses.size(); ++i) {
    const Stack& stack = finding.accesses[i].stack;
    for (std::size_t j = 0; j < stack.size(); ++j) {
      const ForeignCode code = symbolizer.foreign_code(stack[j]);
      if (code.name.empty() || explained.size() == most_explained || !explained.insert(code.name).second)
        continue;
      if (!finding.explanation.empty()) finding.explanation += '\n';
      finding.explanation +=
          "Frame #" + std::to_string(j) + " of the " + (i == 0 ? "first" : "previous") + " access is in " +
          code.name +
          ", which is not instrumented.\nWhat such code orders by atomics of its own is not seen.\n" +
          advice_on(code.name) +
          "\nThe suppression: " + (code.is_module ? rule_for(stack[j]) : "race:^" + stack[j].function + '$');
    }
  }
}

} // namespace footrace::findings
