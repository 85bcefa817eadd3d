#include "placement/entail.h"
#include "placement/placement_test.h"

namespace footrace {
namespace {

// %a is an array, %i <= %n <= 2^20 where @f gets to `body`.
class Entails : public PlacementTest {
protected:
  void SetUp() override {
    parse(R"(
define void @f(ptr %a, ptr %b, i64 %i, i64 %n) {
entry:
  %x = icmp ule i64 %n, 1048576
  br i1 %x, label %next, label %out
next:
  %y = icmp ule i64 %i, %n
  br i1 %y, label %body, label %out
body:
  ret void
out:
  ret void
})");
    function_ = module_->getFunction("f");
  }

  llvm::ScalarEvolution& scev() { return analyses(*function_).scev; }
  const llvm::SCEV* argument(unsigned i) { return scev().getSCEV(function_->getArg(i)); }
  const llvm::SCEV* number(uint64_t n) { return scev().getConstant(llvm::Type::getInt64Ty(context_), n); }
  const llvm::SCEV* times(const llvm::SCEV* a, uint64_t n) { return scev().getMulExpr(a, number(n)); }
  const llvm::SCEV* plus(const llvm::SCEV* a, const llvm::SCEV* b) { return scev().getAddExpr(a, b); }
  const llvm::SCEV* minus(const llvm::SCEV* a, const llvm::SCEV* b) { return scev().getMinusSCEV(a, b); }

  PlannedCheck range(const llvm::SCEV* start, const llvm::SCEV* length) {
    PlannedCheck check{.shape = Shape::Range};
    check.start = start;
    check.length = length;
    return check;
  }
  PlannedCheck strided(const llvm::SCEV* start, int64_t stride, const llvm::SCEV* count) {
    PlannedCheck check{.shape = Shape::Strided, .size = 4};
    check.start = start;
    check.stride = scev().getConstant(llvm::Type::getInt64Ty(context_), static_cast<uint64_t>(stride), true);
    check.count = count;
    return check;
  }
  llvm::Instruction& at(llvm::StringRef block) {
    for (llvm::BasicBlock& candidate : *function_)
      if (candidate.getName() == block) return *candidate.getTerminator();
    abort();
  }

  llvm::Function* function_ = nullptr;
};

TEST_F(Entails, Structure_NeedsNoSolver) {
  Entailment entailment(analyses(*function_).get());
  const PlannedCheck whole = range(argument(0), times(argument(3), 8));
  EXPECT_TRUE(entailment.must_contain(whole, whole, at("body")));
  EXPECT_TRUE(entailment.must_contain(range(argument(0), number(80)),
                                      range(plus(argument(0), number(8)), number(72)), at("body")));
  EXPECT_EQ(entailment.solver_queries(), 0u);
}

TEST_F(Entails, OtherObject_NeedsNoSolver) {
  Entailment entailment(analyses(*function_).get());
  EXPECT_FALSE(
      entailment.must_contain(range(argument(0), number(80)), range(argument(1), number(8)), at("body")));
  EXPECT_EQ(entailment.solver_queries(), 0u);
}

TEST_F(Entails, Range_ContainsASymbolicPart) {
  Entailment entailment(analyses(*function_).get());
  const llvm::SCEV *a = argument(0), *i = argument(2), *n = argument(3);
  const PlannedCheck whole = range(a, times(n, 8)), rest = range(plus(a, times(i, 8)), times(minus(n, i), 8));
  EXPECT_TRUE(entailment.must_contain(whole, rest, at("body")));
  EXPECT_FALSE(entailment.must_contain(rest, whole, at("body")));
  EXPECT_EQ(entailment.solver_queries(), 2u);
}

TEST_F(Entails, BooleanConstraints_CountOnlyWhereTheBranchWasTaken) {
  Entailment entailment(analyses(*function_).get());
  const llvm::SCEV *a = argument(0), *i = argument(2), *n = argument(3);
  const PlannedCheck whole = range(a, times(n, 8)), first = range(a, times(i, 8));
  EXPECT_TRUE(entailment.must_contain(whole, first, at("body")));
  EXPECT_FALSE(entailment.must_contain(whole, first, at("next")));
  EXPECT_FALSE(entailment.must_contain(whole, first, at("out")));
}

TEST_F(Entails, Strided_OnTheSameGrid) {
  Entailment entailment(analyses(*function_).get());
  const llvm::SCEV *a = argument(0), *i = argument(2), *n = argument(3);
  const PlannedCheck whole = strided(a, 16, n);
  EXPECT_TRUE(entailment.must_contain(whole, strided(plus(a, times(i, 16)), 16, minus(n, i)), at("body")));
  EXPECT_FALSE(entailment.must_contain(whole, strided(plus(a, times(i, 8)), 16, minus(n, i)), at("body")))
      << "between the elements";
  EXPECT_FALSE(entailment.must_contain(whole, strided(a, 32, i), at("body")))
      << "another stride is not asked";
  EXPECT_FALSE(entailment.must_contain(whole, range(a, number(4)), at("body")));
}

TEST_F(Entails, Strided_InARangeUpwardsAndDownwards) {
  Entailment entailment(analyses(*function_).get());
  const llvm::SCEV *a = argument(0), *i = argument(2), *n = argument(3);
  const PlannedCheck whole = range(a, times(n, 16));
  EXPECT_TRUE(entailment.must_contain(whole, strided(a, 16, i), at("body")));
  EXPECT_TRUE(
      entailment.must_contain(whole, strided(plus(a, times(minus(i, number(1)), 16)), -16, i), at("body")));
  EXPECT_FALSE(entailment.must_contain(whole, strided(plus(a, number(16)), 16, n), at("body")));
}

TEST_F(Entails, Adjoining_SymbolicHalves) {
  Entailment entailment(analyses(*function_).get());
  const llvm::SCEV *a = argument(0), *i = argument(2), *n = argument(3);
  const PlannedCheck first = range(a, times(i, 8)),
                     second = range(plus(a, times(i, 8)), times(minus(n, i), 8));
  EXPECT_TRUE(entailment.must_adjoin(first, second, at("body")));
  EXPECT_FALSE(entailment.must_adjoin(second, first, at("body")));
}

TEST_F(Entails, Cache_AnswersTheSameQueryOnce) {
  Entailment entailment(analyses(*function_).get());
  const PlannedCheck whole = range(argument(0), times(argument(3), 8)),
                     first = range(argument(0), times(argument(2), 8));
  for (unsigned i = 0; i < 3; ++i) EXPECT_TRUE(entailment.must_contain(whole, first, at("body")));
  EXPECT_EQ(entailment.solver_queries(), 1u);
}

TEST_F(Entails, QueryThatProves_LeavesTheBudgetAsItWas) {
  const PlannedCheck whole = range(argument(0), times(argument(3), 8)),
                     first = range(argument(0), times(argument(2), 8));
  Entailment entailment(analyses(*function_).get(), {.queries = 1});
  EXPECT_TRUE(entailment.must_contain(whole, first, at("body")));
  EXPECT_EQ(entailment.queries_in_vain(), 0u);
  EXPECT_FALSE(entailment.must_contain(first, whole, at("body"))); // refuted, which was the last one
  EXPECT_EQ(entailment.queries_in_vain(), 1u);
  EXPECT_FALSE(entailment.must_adjoin(first, whole, at("body")));
  EXPECT_EQ(entailment.solver_queries(), 2u);
  EXPECT_EQ(entailment.undecided(), 1u);
}

TEST_F(Entails, EndOfTheBudget_MeansNotKnownAndIsCounted) {
  const PlannedCheck whole = range(argument(0), times(argument(3), 8)),
                     first = range(argument(0), times(argument(2), 8));
  Entailment no_queries(analyses(*function_).get(), {.queries = 0});
  EXPECT_FALSE(no_queries.must_contain(whole, first, at("body")));
  EXPECT_EQ(no_queries.undecided(), 1u);
  Entailment no_steps(analyses(*function_).get(), {.steps_per_query = 1});
  EXPECT_FALSE(no_steps.must_contain(whole, first, at("body")));
  EXPECT_EQ(no_steps.undecided(), 1u);
}

} // namespace
} // namespace footrace
