// A function as the placement rules see it: blocks of steps, and edges.
//
// A step is an instruction that matters: it accesses, it synchronises or may lose a pending check, or it defines a variable of a
// path. The papers' statements are structured; here [SEQ] is the order of steps in a block, [IF] an edge into a block that
// has several predecessors, [LOOP] an edge that leads back.
#pragma once

#include "facts/summaries.h"
#include "placement/paths.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace footrace {

namespace redcard {
class Specs;
}

struct Step {
  llvm::Instruction* inst = nullptr;
  Effects effects;
  std::vector<unsigned> accesses = {}; // those with a path
  const PathSet* defines = nullptr;    // what dies with the value that the instruction defines
  PathSet ensures = {};                // [CALL]: what the callee has checked when it returns; empty: nothing
};

// What an edge into a loop head may assume (the paper takes every loop for finite).
enum class EdgeKind : uint8_t {
  Forward,
  EntersEndless, // into the head of a loop that is not proved finite
  Back,          // of a loop that is proved finite
  BackEndless,   // of a loop that is not
  Unwind,        // into a landing pad: nothing can be placed on it
};

class Steps {
public:
  // Without specifications, callers and callees check nothing for each other.
  Steps(const Plan& plan, const Paths& paths, const Summaries& summaries, const FunctionAnalyses& analyses,
        const redcard::Specs* specs = nullptr);

  // [METHOD]: what every caller has accessed in the span of the call.
  const PathSet& required() const { return required_; }

  // Reachable blocks in reverse post-order.
  llvm::ArrayRef<llvm::BasicBlock*> blocks() const { return order_; }
  llvm::ArrayRef<Step> of(const llvm::BasicBlock& block) const;
  bool has(const llvm::BasicBlock& block) const { return number_.contains(&block); }
  // The place of a block in blocks().
  unsigned number(const llvm::BasicBlock& block) const { return number_.lookup(&block); }
  EdgeKind kind(const llvm::BasicBlock& from, const llvm::BasicBlock& to) const;

private:
  llvm::SmallVector<llvm::BasicBlock*, 16> order_;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> number_;
  llvm::DenseMap<const llvm::BasicBlock*, std::vector<Step>> steps_;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 4> endless_heads_;
  llvm::LoopInfo& loops_;
  PathSet required_;
};

} // namespace footrace
