// Which instructions are acquires and releases, and what they kill in an analysis context (BigFoot, Fig. 7).
//
// Happens-before is C++20's: an edge leaves at the release (or release fence) and arrives at the acquire (or acquire
// fence). A relaxed atomic is neither: a fence before or after it is what synchronises, and is classified itself.
#pragma once

#include "models/effects.h"

#include <optional>

namespace llvm {
class CallBase;
class Instruction;
class Value;
} // namespace llvm

namespace footrace {

// What the instruction does by itself. A call of a function does nothing by itself: Summaries::effects knows the callees.
Effects own_effects(const llvm::Instruction& inst);

// A call that is not one of a function with a body or a model: an intrinsic, inline assembly, an operation of libatomic, or
// one of our own checks (those of an earlier phase), which do nothing to the program.
std::optional<Effects> inherent_effects(const llvm::CallBase& call);

// [CALL]: the history properties that code with these effects kills.
//   {_◁}        if it acquires: a check after it would not cover an access before it
//   {_◁, _∨}    if it releases: a check after it is not legitimate for an access before it, and one before it does not
//               cover an access after it
struct KillSetHistory {
  bool accesses; // p◁
  bool checks;   // p∨
};
constexpr KillSetHistory kill_set_history(Effects effects) {
  return {.accesses = effects.may_acquire() || effects.may_release(), .checks = effects.may_release()};
}

// [CALL]: {_◇} if it acquires: a check for an access after it would not cover an access before it.
struct KillSetAnticipated {
  bool accesses; // p◇
};
constexpr KillSetAnticipated kill_set_anticipated(Effects effects) {
  return {.accesses = effects.may_acquire()};
}

// Beyond the paper: a check that is still to be made when this code begins may never be made, or be made of memory that is
// no longer the accessed one. It must be made before.
constexpr bool may_lose_pending_checks(Effects effects) {
  return effects.may_throw() || effects.may_not_return() || effects.may_free() || effects.may_return_twice();
}

// Beyond the paper: an access after this code is not certain to happen when the code begins, or is to memory that is not
// the same yet. A check for it must not be made before.
constexpr bool may_prevent_anticipated_accesses(Effects effects) { return may_lose_pending_checks(effects); }

// Nothing of the above: checks may move across it in both directions, and past checks still count after it.
constexpr bool has_no_kill(Effects effects) { return effects.has_none(); }

// If all that the instruction frees is the object that begins at one known pointer (free, delete), that
// pointer; otherwise null.
const llvm::Value* freed_object(const llvm::Instruction& inst);

} // namespace footrace
