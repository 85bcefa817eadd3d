// Loops: do they end, how often do they run, and which bytes does an access in one touch altogether.
//
// A range is a set of bytes { first + i*stride + b | 0 <= i < count, 0 <= b < size }: BigFoot's strided range. It is exact:
// the access touches these bytes, all of them and no others, provided that the loop is left in the way that `count` says.
// Addresses are computed modulo 2^64 like the program's, so a range needs no proof that an index does not wrap.
#pragma once

#include "facts/accesses.h"
#include "facts/summaries.h"

namespace llvm {
class BasicBlock;
class Loop;
class SCEV;
class Type;
} // namespace llvm

namespace footrace {

// Whether a loop ends whatever the memory that it reads holds. The language's promise that loops make progress
// (mustprogress) proves nothing: a loop that spins on a plain flag has it too.
enum class Finiteness : uint8_t {
  Unknown,
  TripCount, // an exit that every iteration passes is taken after a number of iterations known when the loop begins
};

Finiteness finiteness(const llvm::Loop& loop, llvm::ScalarEvolution& scev,
                      const llvm::DominatorTree& dominators);

// One way out of a loop.
struct LoopExit {
  llvm::BasicBlock* exiting; // in the loop
  llvm::BasicBlock* exit;    // outside
  // How often the back edge was taken when the loop leaves here, if it does; null: not known when the loop begins.
  const llvm::SCEV* backedges_taken = nullptr;
};

struct LoopFacts {
  llvm::Loop* loop = nullptr;
  llvm::BasicBlock* preheader = nullptr; // null: the loop has none, nothing can be placed before it
  llvm::BasicBlock* latch = nullptr;     // null: several
  Finiteness finite = Finiteness::Unknown;
  Effects effects; // of all its instructions, inner loops included; NoReturn if one of the loops may not end
  llvm::SmallVector<LoopExit, 2> exits;
  // Times that the back edge is taken, whichever way the loop is left: known only if there is one exit edge and its count is
  // known. The header runs once more. Null: unknown.
  const llvm::SCEV* backedges_taken = nullptr;

  bool has_single_exit() const { return exits.size() == 1; }
};

LoopFacts loop_facts(llvm::Loop& loop, const FunctionAnalyses& analyses, const Summaries& summaries);

struct StridedRange {
  const llvm::SCEV* first = nullptr; // address of the first element: a pointer, invariant in the loop
  const llvm::SCEV* stride =
      nullptr;       // bytes from one element to the next, as wide as a pointer, invariant in the loop; may
                     // be negative or 0 (always the same bytes), constant or not
  uint64_t size = 0; // bytes per element
  const llvm::SCEV* count = nullptr; // elements: an integer of the width of a pointer, invariant in the loop

  // The elements are known to be adjacent: |stride| = size.
  bool has_no_holes() const;
};

class LoopRanges {
public:
  LoopRanges(const LoopFacts& loop, const FunctionAnalyses& analyses) : loop_(loop), analyses_(analyses) {}

  // The access runs exactly once in every iteration that gets far enough (its block is not in an inner loop, and
  // dominates the latch).
  bool must_run_in_every_iteration(const llvm::BasicBlock& block) const;

  // What a Fixed access that runs in every iteration touches until the loop is left; nothing if it does not run in every
  // iteration, its address is not affine in the loop, or the number of iterations is not known when the loop begins.
  std::optional<StridedRange> range(const Access& access) const;

  // The same for a loop with several exits, as seen from one of them: the count is in terms of the loop's own iterations
  // (an expression of the loop, to be expanded at the exit).
  std::optional<StridedRange> range_at_exit(const Access& access, const LoopExit& exit) const;

  // What a range that is touched in every iteration of the loop (the range of an inner loop) touches altogether: rows that
  // are adjacent, the same row again and again, or rows of one start that grow or shrink (triangular). Nothing if the
  // union is not one range.
  std::optional<StridedRange> widen(const StridedRange& inner, const llvm::BasicBlock& inner_preheader) const;

private:
  std::optional<StridedRange> elements(const Access& access) const; // without the count
  const llvm::SCEV* runs_until(const llvm::BasicBlock& block, const llvm::BasicBlock& exiting,
                               const llvm::SCEV* backedges, llvm::Type* index) const;
  const llvm::SCEV* longest_row(const llvm::SCEV* count, const llvm::SCEV* rows) const;

  const LoopFacts& loop_;
  FunctionAnalyses analyses_;
};

} // namespace footrace
