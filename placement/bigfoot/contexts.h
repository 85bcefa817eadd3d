// The contexts H•A of every block, and the checks that follow from them (BigFoot section 5.1): separate passes for past
// accesses (forward), anticipated accesses (backward), and past checks together with the set C of every check(C) (forward).
// Each is the greatest fixed point; the meet is intersection.
#pragma once

#include "placement/bigfoot/rules.h"
#include "placement/steps.h"

namespace footrace::bigfoot {

// check(C) at a position. Before a step, at the end of a block (before its terminator), or on an edge.
struct PlacedCheck {
  llvm::BasicBlock* block = nullptr;
  unsigned step = 0; // before this step of the block, if `to` is null; the number of steps: at its end
  llvm::BasicBlock* to = nullptr; // on the edge block -> to
  PathSet paths = {};             // C
  PathSet ahead = {}; // of those, what is checked for accesses that are certain to come, none of them pending
};

// What is not left to the rules, so that reports are exact (names.cpp): accesses that are checked where they are made unless they
// have been checked before, and paths that are not checked ahead of a loop.
struct OwnChecks {
  llvm::BitVector accesses;
  PathSet not_ahead;

  bool any() const { return accesses.any() || not_ahead.any(); }
};

class Contexts {
public:
  Contexts(const Steps& steps, const Paths& paths, const llvm::LoopInfo& loops);

  // Makes the past checks again; the accesses stay as they are.
  void check_themselves(OwnChecks own);
  const OwnChecks& own() const { return own_; }

  // All check(C) with C not empty, in reverse post-order.
  std::vector<PlacedCheck> place() const;

  // p∨ before a step of a block, as `place` has made them. References live until the next call for another block.
  const PathSet& checks_before(const llvm::BasicBlock& block, unsigned step) const;
  // What is accessed for certain from the step on, with neither an acquire nor a release before: may be checked there.
  const PathSet& certain_before(const llvm::BasicBlock& block, unsigned step) const;

private:
  using Sets = llvm::DenseMap<const llvm::BasicBlock*, PathSet>;
  using Emit = llvm::function_ref<void(PlacedCheck)>;

  void find_past_accesses();
  void find_anticipated();
  void find_past_checks();

  PathSet join_past_accesses(const llvm::BasicBlock& block, const Sets& out) const;
  // `beyond`: what is known at the heads of loops that may not end (null: nothing is).
  PathSet join_anticipated(const llvm::BasicBlock& block, const Sets& in, const Sets* beyond) const;
  // Anticipated before the first step; `after` gets the sets after each step.
  PathSet anticipated_through(const llvm::BasicBlock& block, PathSet anticipated, bool certain,
                              std::vector<PathSet>* after) const;
  History through(llvm::BasicBlock& block, Emit emit) const;
  History along(llvm::BasicBlock& from, llvm::BasicBlock& to, History history, Emit emit) const;
  Sets flow(const Sets& made, bool accesses_too) const;
  void find_join_paths();
  bool may_check_before(const llvm::BasicBlock& block) const;
  PathSet usable_before(const llvm::BasicBlock& block, PathSet paths) const;

  // Of the block that was asked for last.
  mutable const llvm::BasicBlock *block_of_checks_ = nullptr, *block_of_certain_ = nullptr;
  mutable std::vector<PathSet> checks_before_, certain_before_;

  const Steps& steps_;
  const Paths& paths_;
  const llvm::LoopInfo& loops_;
  OwnChecks own_;
  Sets past_in_, anticipated_in_, anticipated_out_;
  Sets certain_in_;     // accessed for certain, with neither an acquire nor a release before
  Sets checks_in_;      // p∨ at the start
  Sets certain_beyond_; // certain_in_ before it was known across the back edges of endless loops
  Sets join_paths_;     // what is checked on the edges into a block, where it is not checked yet
};

} // namespace footrace::bigfoot
