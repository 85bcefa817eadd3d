// One test per rule of RedCard's Figure 4, on contexts of two paths: p (bits 0, 1) and q (bits 2, 3), each read and write.
#include "placement/redcard/available.h"

#include "placement/placement_test.h"

namespace footrace::redcard {
namespace {

Context set(std::initializer_list<unsigned> bits) {
  Context paths(4);
  for (const unsigned bit : bits) paths.set(bit);
  return paths;
}
const PathSet p_read = set({0}), p_write = set({0, 1}), q_write = set({2, 3}), both = set({0, 1, 2, 3});

TEST(RedCardRules, Acq_ChangesNothing) {
  Context context = both;
  acq(context);
  EXPECT_EQ(context, both);
}

TEST(RedCardRules, Rel_EndsTheSpan) {
  Context context = both;
  rel(context);
  EXPECT_TRUE(context.none());
}

TEST(RedCardRules, Assign_DropsWhatMentionsTheVariable) {
  Context context = both;
  assign(context, p_write);
  EXPECT_EQ(context, q_write);
}

TEST(RedCardRules, Read_MakesReadsAvailable) {
  Context context = set({});
  read(context, p_read, nullptr);
  EXPECT_EQ(context, p_read);
  EXPECT_TRUE(p_write.test(context)) << "a write is not redundant after a read";
}

TEST(RedCardRules, Read_IntoAVariableOfThePathForgetsIt) {
  Context context = q_write;
  read(context, p_read, &p_write);
  EXPECT_EQ(context, q_write);
}

TEST(RedCardRules, Write_MakesReadsAndWritesAvailable) {
  Context context = set({});
  write(context, p_write);
  EXPECT_FALSE(p_read.test(context));
  EXPECT_FALSE(p_write.test(context));
}

TEST(RedCardRules, If_KeepsWhatBothBranchesHave) {
  Context context = both;
  if_join(context, p_write);
  EXPECT_EQ(context, p_write);
}

TEST(RedCardRules, Call_ModifiesAllIfItReleases) {
  Context context = both;
  call(context, Effect::Acquire | Effect::Throws);
  EXPECT_EQ(context, both);
  call(context, Effects::unknown());
  EXPECT_TRUE(context.none());
}

class RedCard : public PlacementTest {};

TEST_F(RedCard, PathExpansion_CheckedOnBothBranchesIsRedundantAfterTheJoin) {
  parse(R"(
define void @f(ptr %p, i1 %c) {
entry:
  br i1 %c, label %a, label %b
a:
  store volatile i32 1, ptr %p
  br label %join
b:
  store volatile i32 2, ptr %p
  br label %join
join:
  store volatile i32 3, ptr %p
  ret void
})");
  const Plan plan = late("f", Placement::RedCard);
  expect_consistent(plan);
  EXPECT_EQ(own_checks(plan), 2u) << text(plan);
  EXPECT_EQ(plan.accesses[2].rule, Rule::PathExpansion);
}

TEST_F(RedCard, PathExpansion_CheckedOnOneBranchIsNot) {
  parse(R"(
define void @f(ptr %p, i1 %c) {
entry:
  br i1 %c, label %a, label %join
a:
  store volatile i32 1, ptr %p
  br label %join
join:
  store volatile i32 3, ptr %p
  ret void
})");
  EXPECT_EQ(own_checks(late("f", Placement::RedCard)), 2u);
}

TEST_F(RedCard, MustAlias_IsByTheAddressNotByTheInstruction) {
  parse(R"(
define void @f(ptr %p, i64 %i) {
  %j = add i64 %i, 1
  %a = getelementptr i32, ptr %p, i64 %j
  store volatile i32 1, ptr %a
  %b = getelementptr i32, ptr %p, i64 %i
  %c = getelementptr i32, ptr %b, i64 1
  store volatile i32 2, ptr %c
  ret void
})");
  const Plan plan = late("f", Placement::RedCard);
  EXPECT_EQ(own_checks(plan), 1u) << text(plan);
}

// A finite loop that reads one path in every iteration and then calls CALL.
static std::string loop_that_reads_one_path(const char* callee) {
  std::string text = R"(
define void @f(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %v = load volatile i32, ptr %p
  %s = call i32 @CALL(ptr @m)
  %next = add nuw nsw i64 %i, 1
  %c = icmp eq i64 %next, 100
  br i1 %c, label %done, label %loop
done:
  ret void
})";
  return text.replace(text.find("CALL"), 4, callee);
}

TEST_F(RedCard, LoopUnrolling_WhatEveryIterationReadsIsCheckedOnceBeforeTheLoop) {
  parse(loop_that_reads_one_path("pthread_mutex_lock"));
  const Plan plan = late("f", Placement::RedCard);
  expect_consistent(plan);
  EXPECT_EQ(own_checks(plan), 0u) << text(plan);
  EXPECT_EQ(plan.accesses[0].rule, Rule::Peeled);
}

TEST_F(RedCard, LoopUnrolling_IsNamedAfterTheFirstAccessInTheLoop) {
  parse(R"(
define void @f(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %v = load volatile i32, ptr %p
  %w = load volatile i32, ptr %p
  %next = add nuw nsw i64 %i, 1
  %c = icmp eq i64 %next, 100
  br i1 %c, label %done, label %loop
done:
  %u = load volatile i32, ptr %p
  ret void
})");
  const Plan plan = late("f", Placement::RedCard);
  expect_consistent(plan);
  ASSERT_EQ(plan.checks.size(), 1u) << text(plan);
  EXPECT_EQ(plan.checks[0].covers.size(), 3u);
  EXPECT_EQ(plan.checks[0].names, std::vector<unsigned>{0});
}

TEST_F(RedCard, LoopUnrolling_NotOfWhatOnlyBranchesAccess) {
  parse(R"(
define void @f(ptr %p, i1 %b) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  br i1 %b, label %left, label %right
left:
  store volatile i32 1, ptr %p
  br label %latch
right:
  store volatile i32 2, ptr %p
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %c = icmp eq i64 %next, 100
  br i1 %c, label %done, label %loop
done:
  ret void
})");
  const Plan plan = late("f", Placement::RedCard);
  EXPECT_TRUE(plan.has_own_check(0) && plan.has_own_check(1)) << text(plan);
}

TEST_F(RedCard, LoopUnrolling_NotIfTheLoopReleases) {
  parse(loop_that_reads_one_path("pthread_mutex_unlock"));
  EXPECT_TRUE(late("f", Placement::RedCard).has_own_check(0));
}

TEST_F(RedCard, While_PathCheckedInTheLoopIsAnInvariantOnlyWithoutRelease) {
  const char* loop = R"(
define void @f(ptr %p, ptr %flag) {
entry:
  store volatile i32 1, ptr %p
  br label %loop
loop:
  store volatile i32 1, ptr %p
  %a = load volatile i32, ptr %flag
  %s = call i32 @CALL(ptr @m)
  %c = icmp eq i32 %a, 0
  br i1 %c, label %loop, label %done
done:
  ret void
})";
  std::string with_lock = loop, with_unlock = loop;
  with_lock.replace(with_lock.find("CALL"), 4, "pthread_mutex_lock");
  with_unlock.replace(with_unlock.find("CALL"), 4, "pthread_mutex_unlock");
  parse(with_lock);
  EXPECT_EQ(late("f", Placement::RedCard).accesses[1].rule, Rule::Available);
  analyses_.clear();
  parse(with_unlock);
  EXPECT_TRUE(late("f", Placement::RedCard).has_own_check(1));
}

} // namespace
} // namespace footrace::redcard
