// Where an access lies in a check that covers it, for the records that reports are made from (abi/site.h).
#pragma once

#include "placement/plan.h"

namespace llvm {
class ScalarEvolution;
}

namespace footrace {

struct CoverPlace {
  int32_t offset;  // of the access from the start of the check, or kUnknownOffset
  uint32_t stride; // distance between repetitions of the access; 0: there is one
};

// A check that goes through memory downwards starts, for this purpose, at any of its elements: the place is known modulo the stride.
CoverPlace place_in_check(const Access& access, const PlannedCheck& check, llvm::ScalarEvolution& scev);

} // namespace footrace
