// Quantified paths: what a loop has accessed is available for the rest of the span. Each test has its negative twin.
#include "placement/placement_test.h"

namespace footrace::redcard {
namespace {

// for (i = 0; i < n; i++) FIRST a[i]; BETWEEN; for (i = 0; i < LAST; i++) SECOND a[i];
std::string two_loops(llvm::StringRef first, llvm::StringRef between, llvm::StringRef last,
                      llvm::StringRef second, llvm::StringRef guard = "true") {
  return (R"(
target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
define void @f(ptr %a, ptr %b, i64 %n, i64 %m) {
entry:
  %some = icmp sgt i64 %n, 0
  %small = icmp slt i64 %n, 1000000
  %in = and i1 %some, %small
  br i1 %in, label %go, label %done
go:
  br label %one
one:
  %i = phi i64 [ 0, %go ], [ %i.next, %one ]
  %p = getelementptr i32, ptr %a, i64 %i
  )" + first +
          R"(
  %i.next = add nuw nsw i64 %i, 1
  %c = icmp eq i64 %i.next, %n
  br i1 %c, label %middle, label %one
middle:
  )" + between +
          R"(
  br i1 )" +
          guard + R"(, label %onward, label %done
onward:
  br label %two
two:
  %j = phi i64 [ 0, %onward ], [ %j.next, %two ]
  %q = getelementptr i32, ptr %a, i64 %j
  )" + second +
          R"(
  %j.next = add nuw nsw i64 %j, 1
  %d = icmp eq i64 %j.next, )" +
          last + R"(
  br i1 %d, label %done, label %two
done:
  ret void
})")
      .str();
}

constexpr const char* store = "store volatile i32 1, ptr %p";
constexpr const char* load = "%v = load volatile i32, ptr %p";
constexpr const char* store_again = "store volatile i32 2, ptr %q";
constexpr const char* load_again = "%w = load volatile i32, ptr %q";
constexpr const char* unlock = "%u = call i32 @pthread_mutex_unlock(ptr @m)";
constexpr const char* lock = "%u = call i32 @pthread_mutex_lock(ptr @m)";
constexpr const char* compare = "%fits = icmp ult i64 %m, %n\n  %pos = icmp ne i64 %m, 0";

class QuantifiedPaths : public PlacementTest {
protected:
  Plan early_of(const std::string& ir) {
    parse(ir);
    Plan plan = early("f");
    expect_consistent(plan);
    return plan;
  }
  static unsigned ranges(const Plan& plan) {
    return static_cast<unsigned>(
        llvm::count_if(plan.checks, [](const PlannedCheck& check) { return check.shape == Shape::Range; }));
  }
};

TEST_F(QuantifiedPaths, SecondLoopOverTheSameRange_HasNoCheck) {
  const Plan plan = early_of(two_loops(store, "", "%n", load_again));
  EXPECT_EQ(ranges(plan), 1u) << text(plan);
  EXPECT_EQ(plan.accesses[1].rule, Rule::QuantifiedPath);
}

TEST_F(QuantifiedPaths, AcquireBetween_KeepsThePath) {
  EXPECT_EQ(ranges(early_of(two_loops(store, lock, "%n", store_again))), 1u);
}

TEST_F(QuantifiedPaths, ReleaseBetween_EndsThePath) {
  EXPECT_EQ(ranges(early_of(two_loops(store, unlock, "%n", store_again))), 2u);
}

TEST_F(QuantifiedPaths, ReadsDoNotCoverWrites) {
  EXPECT_EQ(ranges(early_of(two_loops(load, "", "%n", store_again))), 2u);
}

TEST_F(QuantifiedPaths, LongerSecondRange_IsChecked) {
  EXPECT_EQ(ranges(early_of(two_loops(store, "", "%m", load_again))), 2u);
}

TEST_F(QuantifiedPaths, BooleanConstraint_ShorterRangeBehindABranchIsAvailable) {
  const Plan plan = early_of(two_loops(store, compare, "%m", load_again, "%fits"));
  EXPECT_EQ(ranges(plan), 1u) << text(plan);
}

TEST_F(QuantifiedPaths, BooleanConstraint_OfTheOtherBranchSaysNothing) {
  std::string ir = two_loops(store, compare, "%m", load_again, "%fits");
  const std::string branch = "label %onward, label %done";
  ir.replace(ir.find(branch), branch.size(), "label %done, label %onward");
  EXPECT_EQ(ranges(early_of(ir)), 2u);
}

TEST_F(QuantifiedPaths, RedCard_AccessesOfTheSecondLoopAreRedundant) {
  parse(two_loops(store, "", "%n", store_again));
  const Plan plan = late("f", Placement::RedCard);
  expect_consistent(plan);
  EXPECT_EQ(own_checks(plan), 1u) << text(plan);
  EXPECT_EQ(plan.accesses[1].rule, Rule::QuantifiedPath);
}

TEST_F(QuantifiedPaths, RedCard_NotAfterARelease) {
  parse(two_loops(store, unlock, "%n", store_again));
  EXPECT_EQ(own_checks(late("f", Placement::RedCard)), 2u);
}

// for (...) { a[i] = 1 }; the second loop is in an outer loop that unlocks.
TEST_F(QuantifiedPaths, LoopAroundTheSecondWithARelease_ChecksAgain) {
  const char* ir = R"(
target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"
define void @f(ptr %a, i64 %n) {
entry:
  br label %one
one:
  %i = phi i64 [ 0, %entry ], [ %i.next, %one ]
  %p = getelementptr i32, ptr %a, i64 %i
  store volatile i32 1, ptr %p
  %i.next = add nuw nsw i64 %i, 1
  %c = icmp eq i64 %i.next, 100
  br i1 %c, label %outer, label %one
outer:
  %k = phi i64 [ 0, %one ], [ %k.next, %latch ]
  br label %two
two:
  %j = phi i64 [ 0, %outer ], [ %j.next, %two ]
  %q = getelementptr i32, ptr %a, i64 %j
  store volatile i32 2, ptr %q
  %j.next = add nuw nsw i64 %j, 1
  %d = icmp eq i64 %j.next, 50
  br i1 %d, label %latch, label %two
latch:
  RELEASE
  %k.next = add i64 %k, 1
  %e = icmp ult i64 %k.next, %n
  br i1 %e, label %outer, label %done
done:
  ret void
})";
  for (const bool releases : {true, false}) {
    std::string text_of_loop = ir;
    text_of_loop.replace(text_of_loop.find("RELEASE"), 7, releases ? unlock : "");
    analyses_.clear();
    const Plan plan = early_of(text_of_loop);
    EXPECT_EQ(ranges(plan), releases ? 2u : 1u) << text(plan);
  }
}

// a[i] and a[i + DISTANCE] for i < n: two halves of a[0..2n].
TEST_F(QuantifiedPaths, Neighbours_BecomeOneRange) {
  const char* ir = R"(
target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"
define void @f(ptr %a, i64 %n, i64 %m) {
entry:
  %half = getelementptr i32, ptr %a, i64 DISTANCE
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %a, i64 %i
  store volatile i32 1, ptr %p
  %q = getelementptr i32, ptr %half, i64 %i
  store volatile i32 2, ptr %q
  %next = add nuw nsw i64 %i, 1
  %c = icmp eq i64 %next, %n
  br i1 %c, label %done, label %loop
done:
  ret void
})";
  for (const bool adjacent : {true, false}) {
    std::string loop = ir;
    loop.replace(loop.find("DISTANCE"), 8, adjacent ? "%n" : "%m");
    analyses_.clear();
    const Plan plan = early_of(loop);
    EXPECT_EQ(ranges(plan), adjacent ? 1u : 2u) << text(plan);
  }
}

} // namespace
} // namespace footrace::redcard
