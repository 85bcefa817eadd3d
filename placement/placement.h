// Placement: facts in, plan out. A preset is one of three ways to place checks; the phases say when.
//
//   early   before the vectoriser: only checks that leave loops (range and strided checks). Everything else stays Own; who emits
//           the plan marks what the other checks cover.
//   late    after all optimisation: everything that is not marked.
#pragma once

#include "facts/summaries.h"
#include "placement/plan.h"

namespace footrace {

namespace redcard {
class Specs;
}

enum class Placement : uint8_t {
  Every,   // a check at every access that may race
  RedCard, // ... except where the span has checked it already
  BigFoot, // checks move, coalesce and leave loops
};

struct PlacementOptions {
  Placement placement = Placement::Every;
  // Nothing may hide a second race: no proxies. Names of paths are SSA values, so no placement assumes what a race could break
  // (aliases through memory): there is nothing else to switch off.
  bool address_precision = false;
  bool proxies = true; // placement/proxies.h
  // How often placement/entail.h may ask the solver in vain about one function; 0: it never asks.
  unsigned solver_queries = 16;
};

Plan plan_early(llvm::Function& function, RaceFreedom& race_freedom, const Summaries& summaries,
                const FunctionAnalyses& analyses, const PlacementOptions& options);
Plan plan_late(llvm::Function& function, RaceFreedom& race_freedom, const Summaries& summaries,
               const FunctionAnalyses& analyses, const PlacementOptions& options,
               const redcard::Specs* specs = nullptr);

} // namespace footrace
