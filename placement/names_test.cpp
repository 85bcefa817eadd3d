// Which access a check is reported as, and which accesses are checked themselves for that.
#include "placement/placement_test.h"

using namespace llvm;

namespace footrace {
namespace {

class Names : public PlacementTest {};

// Behind the join nothing tells which of them it was that raced.
TEST_F(Names, AccessesOfDifferentBranches_AreCheckedThemselvesSoThatReportsNameTheRightOne) {
  parse(R"(
define void @f(ptr %p, i1 %c) {
entry:
  br i1 %c, label %a, label %b
a:
  store i32 1, ptr %p
  br label %join
b:
  store i32 2, ptr %p
  br label %join
join:
  ret void
})");
  const Plan plan = late("f", Placement::BigFoot);
  expect_consistent(plan);
  EXPECT_EQ(own_checks(plan), 2u) << text(plan);
  EXPECT_EQ(plan.checks.size(), 2u) << text(plan);
}

// The same with a neighbour behind the join: one check would do for both fields, but not for the report.
TEST_F(Names, FieldsBehindAJoin_EveryByteIsNamedAfterAnAccessThatWasMade) {
  parse(R"(
define void @f(ptr %p, i1 %c) {
entry:
  br i1 %c, label %a, label %b
a:
  store i32 1, ptr %p
  br label %join
b:
  store i32 2, ptr %p
  br label %join
join:
  %q = getelementptr i8, ptr %p, i64 4
  store i32 3, ptr %q
  ret void
})");
  const Plan plan = late("f", Placement::BigFoot);
  expect_consistent(plan);
  EXPECT_EQ(own_checks(plan), 3u) << text(plan);
  EXPECT_EQ(plan.checks.size(), 3u) << text(plan);
}

TEST_F(Names, FieldsBehindAJoin_OfWhichAllAreCertainStayTogether) {
  parse(R"(
define void @f(ptr %p, i1 %c) {
entry:
  store i32 1, ptr %p
  br i1 %c, label %a, label %b
a:
  store volatile i32 2, ptr %p
  br label %join
b:
  store volatile i32 3, ptr %p
  br label %join
join:
  %q = getelementptr i8, ptr %p, i64 4
  store i32 4, ptr %q
  ret void
})");
  const Plan plan = late("f", Placement::BigFoot);
  expect_consistent(plan);
  ASSERT_EQ(plan.checks.size(), 1u) << text(plan);
  EXPECT_EQ(plan.checks[0].size, 8u) << text(plan);
}

// Before the loop it is not known which of its branches will be taken first.
TEST_F(Names, BranchesOfALoop_AreCheckedThemselves) {
  parse(R"(
define void @f(ptr %p, ptr %flag) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %flag
  %c = icmp sgt i32 %v, 0
  br i1 %c, label %a, label %b
a:
  store volatile i32 1, ptr %p
  br label %latch
b:
  store volatile i32 2, ptr %p
  br label %latch
latch:
  %again = icmp slt i32 %v, 9
  br i1 %again, label %loop, label %done
done:
  ret void
})");
  const Plan plan = late("f", Placement::BigFoot);
  expect_consistent(plan);
  EXPECT_TRUE(plan.has_own_check(1)) << text(plan);
  EXPECT_TRUE(plan.has_own_check(2)) << text(plan);
  EXPECT_FALSE(plan.has_own_check(0)) << text(plan);
}

// The read before the release is covered by the check behind it, which is about the read behind it.
TEST_F(Names, CheckOfAReadOnBothSidesOfARelease_IsNamedAfterTheLaterOne) {
  parse(R"(
define void @f(ptr %p) {
  %a = load volatile i32, ptr %p
  %r = call i32 @pthread_mutex_unlock(ptr @m)
  %q = getelementptr i8, ptr %p, i64 4
  %b = load volatile i32, ptr %p
  %c = load volatile i32, ptr %q
  ret void
})");
  const Plan plan = late("f", Placement::BigFoot);
  expect_consistent(plan);
  for (const PlannedCheck& check : plan.checks)
    if (check.shape == Shape::Fixed && check.position.before != plan.accesses[0].access.inst)
      EXPECT_FALSE(is_contained(check.names, 0u)) << text(plan);
}

// Seven exits, of which one has a check that the access could share.
TEST_F(Names, AccessBeforeManyExits_IsCheckedItself) {
  parse(R"(
define void @f(ptr %p, i32 %n) {
entry:
  %v = load i32, ptr %p
  switch i32 %n, label %share [ i32 0, label %a  i32 1, label %b  i32 2, label %c  i32 3, label %d ]
a:
  call void @unknown()
  ret void
b:
  call void @unknown()
  ret void
c:
  call void @unknown()
  ret void
d:
  call void @unknown()
  ret void
share:
  %q = getelementptr i8, ptr %p, i64 4
  %w = load i32, ptr %q
  ret void
})");
  const Plan plan = late("f", Placement::BigFoot);
  expect_consistent(plan);
  EXPECT_TRUE(plan.has_own_check(0)) << text(plan);
  EXPECT_EQ(plan.checks.size(), 2u) << text(plan);
}

TEST_F(Names, AccessBeforeFewExits_SharesItsCheckWhereItCan) {
  parse(R"(
define void @f(ptr %p, i1 %c) {
entry:
  %v = load i32, ptr %p
  br i1 %c, label %a, label %share
a:
  call void @unknown()
  ret void
share:
  %q = getelementptr i8, ptr %p, i64 4
  %w = load i32, ptr %q
  ret void
})");
  const Plan plan = late("f", Placement::BigFoot);
  expect_consistent(plan);
  EXPECT_EQ(own_checks(plan), 0u) << text(plan);
  EXPECT_EQ(plan.checks.size(), 2u) << text(plan);
}

// One write check at the join's store: it is made whichever branch was taken.
TEST_F(Names, CheckOfABranchAndWhatFollows_IsNamedAfterWhatFollows) {
  parse(R"(
define void @f(ptr %p, i1 %c) {
entry:
  br i1 %c, label %a, label %join
a:
  %v = load i32, ptr %p
  br label %join
join:
  %q = getelementptr i8, ptr %p, i64 4
  store i32 3, ptr %p
  store i32 4, ptr %q
  ret void
})");
  const Plan plan = late("f", Placement::BigFoot);
  expect_consistent(plan);
  const auto is_join = [](const BasicBlock* block) { return block->getName() == "join"; };
  for (const PlannedCheck& check : plan.checks)
    for (const unsigned access : check.names)
      EXPECT_TRUE(is_join(plan.accesses[access].access.inst->getParent())) << text(plan);
}

} // namespace
} // namespace footrace
