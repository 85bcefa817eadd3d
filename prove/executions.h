// How often things happen: which instances may run more than once, which instructions may, which objects stand for
// more than one. "Once" is a claim about a whole run of the program.
#pragma once

#include "prove/pointsto.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#include <memory>

namespace footrace::prove {

// Dominators and loops, made on demand; every analysis of this folder shares them.
class Shapes {
public:
  const llvm::DominatorTree& dominators(const llvm::Function& function) { return of(function).dominators; }
  const llvm::LoopInfo& loops(const llvm::Function& function) { return of(function).loops; }

private:
  struct Shape {
    llvm::DominatorTree dominators;
    llvm::LoopInfo loops;
    explicit Shape(llvm::Function& function) : dominators(function), loops(dominators) {}
  };
  const Shape& of(const llvm::Function& function);
  llvm::DenseMap<const llvm::Function*, std::unique_ptr<Shape>> shapes_;
};

// How a call or a function ends.
enum class Way : std::uint8_t { Returns, Throws };
// How the function may end at the end of the block; exceptions that calls let through leave earlier.
std::optional<Way> way_out(const llvm::BasicBlock& block);
// Whether an exception of the call may leave the function.
bool may_throw_out(const llvm::Instruction& inst);
// Only a call that throws gets to its landing pad.
Way way_to(const llvm::BasicBlock& block, const llvm::BasicBlock* next);
// What a state becomes in a block, up to the last instruction, which may go several ways. `apply(inst, state, way)` is what an
// instruction does; `leave(way, state)` sees what leaves the function, and says whether that was new. States know whether they are
// reached.
template <class State, class Apply, class Leave>
bool flow_through(const llvm::BasicBlock& block, State& state, Apply apply, Leave leave) {
  bool changed = false;
  for (const llvm::Instruction& inst : block) {
    if (!state.is_reached) return changed;
    if (may_throw_out(inst)) {
      State thrown = state;
      apply(inst, thrown, Way::Throws);
      changed |= leave(Way::Throws, thrown);
    }
    if (!inst.isTerminator()) apply(inst, state, Way::Returns);
  }
  if (std::optional<Way> way = way_out(block)) changed |= leave(*way, state);
  return changed;
}
// Whether control may go from after `from` to `to` without passing `barrier` (may be null).
bool may_reach(const llvm::Instruction* from, const llvm::Instruction* to, const llvm::Instruction* barrier);

class Executions {
public:
  explicit Executions(const PointsTo& pointers);

  bool may_run_again(InstanceId instance) const { return again_.test(instance); }
  bool may_run_again(InstanceId instance, const llvm::Instruction* inst) const;
  // One object of the program for this abstract object.
  bool is_single(ObjectId object) const;
  // One run-time location for this abstract location.
  bool is_single_location(LocationId location) const;

private:
  bool is_in_cycle(const llvm::Instruction* inst) const;

  const PointsTo& pointers_;
  llvm::BitVector again_;
};

} // namespace footrace::prove
