// Range checks of loops, and the nearest loops that have none.
#include "placement/placement_test.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace footrace {
namespace {

class Early : public PlacementTest {
protected:
  // for (i = 0; i < n; i++) { BODY }, n > 0; %p is &a[i], 8 bytes each.
  void parse_loop(StringRef body, StringRef condition = "icmp ult i64 %next, %n") {
    parse((R"(
define void @f(ptr %a, i64 %n, ptr %b) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i64, ptr %a, i64 %i
)" + body + R"(
  %next = add nuw nsw i64 %i, 1
  %c = )" + condition +
           R"(
  br i1 %c, label %loop, label %done
done:
  ret void
})")
              .str());
  }
};

std::string shown(const SCEV* expression) {
  std::string text;
  raw_string_ostream out(text);
  expression->print(out);
  return text;
}

TEST_F(Early, CountedLoop_IsOneRangeBeforeIt) {
  parse_loop("store i64 0, ptr %p");
  const Plan plan = early("f");
  expect_consistent(plan);
  ASSERT_EQ(plan.checks.size(), 1u) << text(plan);
  const PlannedCheck& check = plan.checks[0];
  EXPECT_EQ(check.shape, Shape::Range);
  EXPECT_EQ(check.kind, AccessKind::Write);
  EXPECT_EQ(shown(check.start), "%a");
  EXPECT_EQ(shown(check.length), "(8 * (1 umax %n))");
  EXPECT_EQ(check.position.before->getParent()->getName(), "entry");
  EXPECT_EQ(plan.accesses[0].rule, Rule::LoopRange);
}

TEST_F(Early, ReadAndWriteOfTheSameElements_AreOneWriteRange) {
  parse_loop("%v = load i64, ptr %p\n  store i64 %v, ptr %p");
  const Plan plan = early("f");
  expect_consistent(plan);
  ASSERT_EQ(plan.checks.size(), 1u) << text(plan);
  EXPECT_EQ(plan.checks[0].kind, AccessKind::Write);
  EXPECT_EQ(plan.checks[0].covers, (std::vector<unsigned>{0, 1}));
}

TEST_F(Early, Stencil_IsOneRange) {
  parse_loop(R"(
  %left = getelementptr i8, ptr %p, i64 -8
  %right = getelementptr i8, ptr %p, i64 8
  %x = load i64, ptr %left
  %y = load i64, ptr %p
  %z = load i64, ptr %right)");
  const Plan plan = early("f");
  expect_consistent(plan);
  ASSERT_EQ(plan.checks.size(), 1u) << text(plan);
  EXPECT_EQ(shown(plan.checks[0].start), "(-8 + %a)");
}

TEST_F(Early, FieldsOfAnArrayOfStructs_AreOneRange) {
  parse_loop(R"(
  %s = getelementptr [3 x i64], ptr %b, i64 %i
  %s1 = getelementptr i8, ptr %s, i64 8
  %s2 = getelementptr i8, ptr %s, i64 16
  store i64 1, ptr %s
  store i64 2, ptr %s1
  store i64 3, ptr %s2)");
  const Plan plan = early("f");
  expect_consistent(plan);
  ASSERT_EQ(plan.checks.size(), 1u) << text(plan);
  EXPECT_EQ(plan.checks[0].shape, Shape::Range);
}

TEST_F(Early, OneFieldOfAnArrayOfStructs_IsAStridedRange) {
  parse_loop(R"(
  %s = getelementptr [3 x i64], ptr %b, i64 %i
  store i64 1, ptr %s)");
  const Plan plan = early("f");
  ASSERT_EQ(plan.checks.size(), 1u) << text(plan);
  EXPECT_EQ(plan.checks[0].shape, Shape::Strided);
  EXPECT_EQ(plan.checks[0].size, 8u);
  EXPECT_EQ(shown(plan.checks[0].stride), "24");
}

TEST_F(Early, LoopThatSynchronises_KeepsItsChecks) {
  parse_loop("store i64 0, ptr %p\n  %u = call i32 @pthread_mutex_unlock(ptr @m)");
  const Plan plan = early("f");
  EXPECT_EQ(own_checks(plan), 1u) << text(plan);
}

TEST_F(Early, LoopWithAnUnknownCall_KeepsItsChecks) {
  parse_loop("store i64 0, ptr %p\n  call void @unknown()");
  EXPECT_EQ(own_checks(early("f")), 1u);
}

TEST_F(Early, LoopThatMayNotEnd_KeepsItsChecks) {
  parse_loop("%v = load i64, ptr %p\n store i64 0, ptr %p", "icmp ne i64 %v, 0");
  EXPECT_EQ(own_checks(early("f")), 2u);
}

TEST_F(Early, IndirectAddress_KeepsItsCheck) {
  parse_loop(R"(
  %j = load i64, ptr %p
  %q = getelementptr i64, ptr %b, i64 %j
  store i64 1, ptr %q)");
  const Plan plan = early("f");
  expect_consistent(plan);
  EXPECT_EQ(plan.checks.size(), 2u) << text(plan);
  EXPECT_TRUE(plan.has_own_check(1));
}

TEST_F(Early, ConditionalAccess_KeepsItsCheck) {
  parse(R"(
define void @f(ptr %a, i1 %sometimes) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br i1 %sometimes, label %then, label %latch
then:
  %p = getelementptr i64, ptr %a, i64 %i
  store i64 1, ptr %p
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %c = icmp ult i64 %next, 100
  br i1 %c, label %loop, label %done
done:
  ret void
})");
  EXPECT_EQ(own_checks(early("f")), 1u);
}

// Figure 6(b): the range is known when the loop ends.
constexpr const char* search = R"(
define i64 @f(ptr %a, i64 %n, i64 %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %p = getelementptr i64, ptr %a, i64 %i
  %v = load i64, ptr %p
  %hit = icmp eq i64 %v, %x
  br i1 %hit, label %found, label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %c = icmp ult i64 %next, %n
  br i1 %c, label %loop, label %none
found:
  ret i64 %i
none:
  ret i64 -1
})";

TEST_F(Early, Figure6b_LoopWithABreakIsCheckedAtItsExits) {
  parse(search);
  const Plan plan = early("f");
  expect_consistent(plan);
  ASSERT_EQ(plan.checks.size(), 2u) << text(plan);
  for (const PlannedCheck& check : plan.checks) EXPECT_EQ(check.shape, Shape::Range);
  EXPECT_EQ(plan.checks[0].position.before->getParent()->getName(), "found");
  EXPECT_EQ(shown(plan.checks[0].length), "{8,+,8}<%loop>");
}

TEST_F(Early, NestedLoopsOverAdjacentRows_AreOneRange) {
  parse(R"(
define void @f(ptr %a) {
entry:
  br label %rows
rows:
  %i = phi i64 [ 0, %entry ], [ %i1, %next_row ]
  br label %columns
columns:
  %j = phi i64 [ 0, %rows ], [ %j1, %columns ]
  %p = getelementptr [64 x i32], ptr %a, i64 %i, i64 %j
  store i32 0, ptr %p
  %j1 = add nuw nsw i64 %j, 1
  %c = icmp ult i64 %j1, 64
  br i1 %c, label %columns, label %next_row
next_row:
  %i1 = add nuw nsw i64 %i, 1
  %d = icmp ult i64 %i1, 100
  br i1 %d, label %rows, label %done
done:
  ret void
})");
  const Plan plan = early("f");
  expect_consistent(plan);
  ASSERT_EQ(plan.checks.size(), 1u) << text(plan);
  EXPECT_EQ(shown(plan.checks[0].length), "25600");
  EXPECT_EQ(plan.checks[0].position.before->getParent()->getName(), "entry");
}

TEST_F(Early, AccessWithoutARangeCheck_IsCountedByReason) {
  const auto count = [&](Fallback why) { return early("f").fallbacks[static_cast<unsigned>(why)]; };
  parse_loop("store i64 0, ptr %p\n  call void @unknown()");
  EXPECT_EQ(count(Fallback::LoopEffects), 1u);
  parse_loop("%j = load i64, ptr %p\n %q = getelementptr i64, ptr %b, i64 %j\n store i64 1, ptr %q");
  EXPECT_EQ(count(Fallback::LoopAddress), 1u);
  EXPECT_EQ(count(Fallback::LoopEffects), 0u);
}

TEST_F(Early, PresetRedCard_HasNoRanges) {
  parse_loop("store i64 0, ptr %p");
  EXPECT_EQ(own_checks(early("f", Placement::RedCard)), 1u);
}

} // namespace
} // namespace footrace
