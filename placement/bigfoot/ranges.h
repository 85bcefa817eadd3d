// Range checks of loops: [LOOP] with invariants a[lo..i]◁ that ScalarEvolution finds, and coalescing of strided ranges (BigFoot
// section 4).
//
// A range is checked before the loop, where the paper checks it after: every element is certain to be accessed, with neither an
// acquire nor a release between, so the check is legitimate and covers, and nothing can lose it. Where the number of
// iterations is known only when the loop ends (several exits), the range a[lo..i] is checked at the exits, as in the
// paper.
#pragma once

#include "facts/loops.h"
#include "placement/plan.h"

namespace footrace::bigfoot {

// Elements [begin, end) relative to a key, repeated with a stride: { key + i*stride + b | 0 <= i < count, begin <= b < end }.
struct RangePiece {
  const llvm::SCEV* key = nullptr;
  int64_t begin = 0, end = 0;
  AccessKind kind = AccessKind::Read;
  const llvm::SCEV* stride = nullptr;
  const llvm::SCEV* count = nullptr;
  bool at_least_one = false; // count is not 0
  std::vector<unsigned> covers = {};
};

// Coalesces pieces of the same key, stride and count: neighbours of one kind become one piece, and reads of what is written are
// covered by the write. The result has exactly the same bytes of each kind, except that a read that a write covers is gone.
std::vector<RangePiece> coalesce_ranges(std::vector<RangePiece> pieces);

// The piece as a check without a position: a range if the elements are adjacent, else a strided range.
PlannedCheck range_check(const RangePiece& piece, llvm::ScalarEvolution& scev);

class LoopChecks {
public:
  LoopChecks(Plan& plan, const FunctionAnalyses& analyses, const Summaries& summaries);

  // Adds the range checks of all loops of the function to the plan.
  void write();

private:
  using Pieces = std::vector<RangePiece>;

  Pieces process(llvm::Loop& loop);
  Pieces widen(const Pieces& inner, const LoopFacts& inner_facts, const LoopFacts& outer);
  Pieces accesses_before(const LoopFacts& facts);
  void check_at_exits(const LoopFacts& facts);
  std::optional<RangePiece> piece(unsigned access, const StridedRange& range, bool at_least_one);
  void add(const RangePiece& piece, Position position);
  void count_what_stays();

  Plan& plan_;
  FunctionAnalyses analyses_;
  const Summaries& summaries_;
  llvm::DenseMap<const llvm::BasicBlock*, std::vector<unsigned>> in_block_;
  llvm::SmallVector<llvm::Instruction*, 4> divisions_;
  llvm::DenseMap<const llvm::Loop*, Fallback> otherwise_; // why an access of the loop has no range check
};

} // namespace footrace::bigfoot
