// Entailment between quantified paths: is every byte of one strided range in another, whatever the values at run time (RedCard section 4,
// Π ⊢ ∀i∈r. x[i]; BigFoot section 4)?
//
// ScalarEvolution and structure decide first. What they leave open, and what has a chance (both ranges start from one pointer), goes to Z3 as
// bit vectors, with the branches that lead to the place as boolean constraints.
// Invariant: answers are cached, and the budget counts queries and the solver's own steps, never time: the same function gets the same checks on
// every machine. The end of the budget means "not known", which keeps the check.
#pragma once

#include "facts/summaries.h"
#include "placement/plan.h"

#include <map>
#include <memory>
#include <vector>

namespace footrace {

// Both budgets of one function.
struct EntailmentBudget {
  unsigned queries = 16;             // of the solver, that prove nothing; those that do are 16 more at most
  unsigned steps_per_query = 50'000; // Z3's rlimit
};

class Entailment {
public:
  explicit Entailment(const FunctionAnalyses& analyses, EntailmentBudget budget = {});
  ~Entailment();

  // Every byte that `inner` checks, computed at `at`, is one that `outer` checks. Both are Range or Strided.
  bool must_contain(const PlannedCheck& outer, const PlannedCheck& inner, const llvm::Instruction& at);
  // `second` begins where `first` ends. Both are Range.
  bool must_adjoin(const PlannedCheck& first, const PlannedCheck& second, const llvm::Instruction& at);

  unsigned solver_queries() const { return queries_; }
  // Those that proved nothing.
  unsigned queries_in_vain() const { return in_vain_; }
  // Queries that the budget left open.
  unsigned undecided() const { return undecided_; }

private:
  class Solver; // Z3
  using Query = std::vector<const void*>;

  template <class Ask> bool solve(Query query, Ask ask);

  FunctionAnalyses analyses_;
  EntailmentBudget budget_;
  std::unique_ptr<Solver> solver_; // made when it is first needed
  std::map<Query, bool> answers_;
  unsigned queries_ = 0, in_vain_ = 0, undecided_ = 0;
};

} // namespace footrace
