// What a call may do, for calls whose callees are in the module, in models/, or unknown.
//
// Invariant: effects() of a function is a superset of what any execution of it can do, from its call to its return
// (KillSetHistory and KillSetAnticipated of BigFoot's [CALL] follow from it, facts/sync.h). Summaries are least fixed
// points over the strongly connected components of the call graph. A function that recurses may not return.
// A definition that the linker or loader may replace by a different one is unknown; one that may only be replaced by an
// equivalent one (ODR) is taken as it is.
#pragma once

#include "models/effects.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class CallBase;
class DominatorTree;
class Function;
class Instruction;
class LoopInfo;
class Module;
class ScalarEvolution;
} // namespace llvm

namespace footrace {

class Callees;

// How much of the program the module is.
enum class World : unsigned char {
  File, // one translation unit: its functions may be called, and its pointers come, from elsewhere
  // All of the program's own code; libraries are outside. Who says so must know: the link step of LTO does not (objects
  // that are not bitcode may be linked in), and needs it less, since it makes internal what only the program uses.
  WholeProgram,
};

// What the summaries need to know about loops of a function that has a body.
struct FunctionAnalyses {
  llvm::LoopInfo& loops;
  llvm::ScalarEvolution& scev;
  llvm::DominatorTree& dominators;
};
using GetAnalyses = llvm::function_ref<FunctionAnalyses(llvm::Function&)>;

class Summaries {
public:
  Summaries(llvm::Module& module, World world, GetAnalyses get_analyses);
  ~Summaries();

  // From the function's entry to its return.
  Effects effects(const llvm::Function& function) const;

  // Of one instruction, with everything that a call may run. An invoke may throw although the exception stays in this
  // function: on its unwind edge the call did not return, but what follows is still to come.
  Effects effects(const llvm::Instruction& inst) const;

private:
  friend class SummaryBuilder;
  Effects call_effects(const llvm::CallBase& call) const;
  Effects callee_effects(const llvm::Function& callee, const llvm::CallBase* call) const;

  std::unique_ptr<Callees> callees_;
  llvm::DenseMap<const llvm::Function*, Effects> summaries_;
};

} // namespace footrace
