// Placement at the level of whole functions: contexts, coalescing, hoisting, and the nearest programs where each must not fire.
#include "placement/placement_test.h"

using namespace llvm;

namespace footrace {
namespace {

class Late : public PlacementTest {};

TEST_F(Late, Fields_AreCheckedTogetherAtTheFirstAccess) {
  parse(R"(
define void @f(ptr %p) {
  %a = load i64, ptr %p
  %q = getelementptr i8, ptr %p, i64 8
  %b = load i64, ptr %q
  ret void
})");
  const Plan plan = late("f", Placement::BigFoot);
  expect_consistent(plan);
  ASSERT_EQ(plan.checks.size(), 1u) << text(plan);
  EXPECT_EQ(plan.checks[0].shape, Shape::Fixed);
  EXPECT_EQ(plan.checks[0].size, 16u);
  EXPECT_EQ(plan.checks[0].position.before, plan.accesses[0].access.inst);
  EXPECT_EQ(plan.accesses[0].rule, Rule::Coalesced);
}

TEST_F(Late, Fields_AreNotCheckedTogetherAcrossAnUnknownCall) {
  parse(R"(
define void @f(ptr %p) {
  %a = load i64, ptr %p
  call void @unknown()
  %q = getelementptr i8, ptr %p, i64 8
  %b = load i64, ptr %q
  ret void
})");
  const Plan plan = late("f", Placement::BigFoot);
  expect_consistent(plan);
  EXPECT_EQ(own_checks(plan), 2u) << text(plan);
}

TEST_F(Late, Fields_WithAGapAreTwoChecks) {
  parse(R"(
define void @f(ptr %p) {
  %a = load i64, ptr %p
  %q = getelementptr i8, ptr %p, i64 16
  %b = load i64, ptr %q
  ret void
})");
  EXPECT_EQ(own_checks(late("f", Placement::BigFoot)), 2u);
}

TEST_F(Late, ReadModifyWrite_IsOneWriteCheck) {
  parse(R"(
define void @f(ptr %p) {
  %a = load i64, ptr %p
  %b = add i64 %a, 1
  store i64 %b, ptr %p
  ret void
})");
  const Plan plan = late("f", Placement::BigFoot);
  expect_consistent(plan);
  ASSERT_EQ(plan.checks.size(), 1u) << text(plan);
  EXPECT_TRUE(plan.has_own_check(1));
  EXPECT_EQ(plan.accesses[0].rule, Rule::Anticipated);
  // RedCard moves nothing: the read comes first, and does not cover the write.
  EXPECT_EQ(own_checks(late("f", Placement::RedCard)), 2u);
}

TEST_F(Late, ReadAfterWrite_IsRedundant) {
  parse(R"(
define i64 @f(ptr %p) {
  store volatile i64 1, ptr %p
  %a = load volatile i64, ptr %p
  ret i64 %a
})");
  for (const Placement placement : {Placement::RedCard, Placement::BigFoot}) {
    const Plan plan = late("f", placement);
    expect_consistent(plan);
    EXPECT_EQ(own_checks(plan), 1u) << text(plan);
    EXPECT_TRUE(plan.has_own_check(0));
  }
}

TEST_F(Late, ReadAfterUnlock_IsCheckedAgain) {
  parse(R"(
define i64 @f(ptr %p) {
  store volatile i64 1, ptr %p
  call i32 @pthread_mutex_unlock(ptr @m)
  call i32 @pthread_mutex_lock(ptr @m)
  %a = load volatile i64, ptr %p
  ret i64 %a
})");
  for (const Placement placement : {Placement::RedCard, Placement::BigFoot})
    EXPECT_EQ(own_checks(late("f", placement)), 2u);
}

TEST_F(Late, ReadAfterLock_IsRedundant) {
  parse(R"(
define i64 @f(ptr %p) {
  store volatile i64 1, ptr %p
  call i32 @pthread_mutex_lock(ptr @m)
  %a = load volatile i64, ptr %p
  call i32 @pthread_mutex_unlock(ptr @m)
  ret i64 %a
})");
  for (const Placement placement : {Placement::RedCard, Placement::BigFoot}) {
    const Plan plan = late("f", placement);
    expect_consistent(plan);
    EXPECT_EQ(own_checks(plan), 1u) << text(plan);
    EXPECT_TRUE(plan.has_own_check(0));
  }
}

constexpr const char* spin = R"(
define void @f(ptr %flag) {
entry:
  br label %loop
loop:
  %a = load volatile i32, ptr %flag
  %c = icmp eq i32 %a, 0
  br i1 %c, label %loop, label %done
done:
  ret void
})";

TEST_F(Late, SpinOnAPlainFlag_IsCheckedBeforeTheLoop) {
  parse(spin);
  for (const Placement placement : {Placement::RedCard, Placement::BigFoot}) {
    const Plan plan = late("f", placement);
    expect_consistent(plan);
    ASSERT_EQ(plan.checks.size(), 1u) << text(plan);
    EXPECT_EQ(plan.checks[0].shape, Shape::Fixed);
    EXPECT_EQ(plan.checks[0].position.before->getParent()->getName(), "entry");
  }
}

TEST_F(Late, AccessBeforeAnEndlessLoop_IsCheckedBeforeIt) {
  parse(R"(
define void @f(ptr %p, ptr %flag) {
entry:
  store i32 1, ptr %p
  %q = getelementptr i8, ptr %p, i64 4
  br label %loop
loop:
  %a = load volatile i32, ptr %flag
  %c = icmp eq i32 %a, 0
  br i1 %c, label %loop, label %done
done:
  store i32 1, ptr %q
  ret void
})");
  const Plan plan = late("f", Placement::BigFoot);
  expect_consistent(plan);
  EXPECT_TRUE(plan.has_own_check(0)) << text(plan);
  EXPECT_TRUE(plan.has_own_check(2)) << text(plan);
}

// Found by random programs: what is read before the loop and in it, whose end is a fence, was checked before the loop only.
TEST_F(Late, LoopWithAFence_KeepsItsCheckInTheLoop) {
  parse(R"(
define void @f(ptr %p) {
entry:
  %a = load i64, ptr %p
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %b = load i64, ptr %p
  fence seq_cst
  %next = add nuw nsw i32 %i, 1
  %c = icmp ult i32 %next, 100
  br i1 %c, label %loop, label %done
done:
  ret void
})");
  const Plan plan = late("f", Placement::BigFoot);
  expect_consistent(plan);
  const auto checks_in_loop = [&](unsigned check) {
    const Position& at = plan.checks[check].position;
    return (at.before != nullptr ? at.before->getParent() : at.from)->getName() == "loop";
  };
  EXPECT_TRUE(any_of(plan.accesses[1].covered_by, checks_in_loop)) << text(plan);
}

// At the store in %first, it would not be made for the loop when %first is passed by.
TEST_F(Late, CheckBeforeALoop_DoesNotMoveToAnAccessOnOneOfTheWaysIntoIt) {
  parse(R"(
define void @f(ptr %p, i1 %a, i1 %b, i32 %n) {
entry:
  br i1 %a, label %first, label %before
first:
  store i32 1, ptr %p
  br i1 %b, label %done, label %before
before:
  br label %loop
loop:
  %i = phi i32 [ 0, %before ], [ %next, %loop ]
  store i32 2, ptr %p
  %next = add nuw nsw i32 %i, 1
  %c = icmp ult i32 %next, 100
  br i1 %c, label %loop, label %done
done:
  ret void
})");
  const Plan plan = late("f", Placement::BigFoot);
  expect_consistent(plan);
  EXPECT_TRUE(any_of(plan.accesses[1].covered_by, [&](unsigned check) {
    const Position& at = plan.checks[check].position;
    const StringRef block = (at.before != nullptr ? at.before->getParent() : at.from)->getName();
    return block == "before" || block == "loop";
  })) << text(plan);
}

// At the first load, it would not be made for the loop after the release on the rare way into it.
TEST_F(Late, CheckBeforeALoop_DoesNotMoveToAnAccessBeforeARelease) {
  parse(R"(
define void @f(ptr %p, i1 %rare) {
entry:
  %a = load i32, ptr %p
  br i1 %rare, label %released, label %before
released:
  %l = call i32 @pthread_mutex_lock(ptr @m)
  %u = call i32 @pthread_mutex_unlock(ptr @m)
  br label %before
before:
  br label %loop
loop:
  %i = phi i32 [ 0, %before ], [ %next, %loop ]
  %b = load i32, ptr %p
  %next = add nuw nsw i32 %i, 1
  %c = icmp ult i32 %next, 100
  br i1 %c, label %loop, label %done
done:
  ret void
})");
  const Plan plan = late("f", Placement::BigFoot);
  expect_consistent(plan);
  EXPECT_TRUE(any_of(plan.accesses[1].covered_by, [&](unsigned check) {
    const Position& at = plan.checks[check].position;
    const StringRef block = (at.before != nullptr ? at.before->getParent() : at.from)->getName();
    return block == "before" || block == "loop" || block == "released";
  })) << text(plan);
}

// The rare branch unlocks and locks again, then joins the other.
TEST_F(Late, LoopThatSeldomReleases_ChecksItsInvariantOncePerSpan) {
  parse(R"(
define void @f(ptr %p, i1 %rare) {
entry:
  br label %loop
loop:
  %a = load volatile i32, ptr %p
  %c = icmp eq i32 %a, 1
  br i1 %c, label %done, label %body
body:
  br i1 %rare, label %pause, label %latch
pause:
  %u = call i32 @pthread_mutex_unlock(ptr @m)
  %l = call i32 @pthread_mutex_lock(ptr @m)
  br label %latch
latch:
  br label %loop
done:
  ret void
})");
  const Plan plan = late("f", Placement::BigFoot);
  expect_consistent(plan);
  ASSERT_EQ(plan.checks.size(), 2u) << text(plan);
  EXPECT_EQ(plan.checks[0].position.before->getParent()->getName(), "entry");
  EXPECT_EQ(plan.checks[1].position.before->getParent()->getName(), "pause");
}

TEST_F(Late, InvariantOfAFiniteLoopUnderACondition_StaysInTheLoop) {
  parse(R"(
define void @f(ptr %p, i1 %sometimes) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  br i1 %sometimes, label %then, label %latch
then:
  store i32 1, ptr %p
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %c = icmp ult i32 %next, 100
  br i1 %c, label %loop, label %done
done:
  ret void
})");
  const Plan plan = late("f", Placement::BigFoot);
  expect_consistent(plan);
  EXPECT_TRUE(plan.has_own_check(0)) << text(plan);
}

TEST_F(Late, BothBranches_AreCheckedOnceAfterTheJoin) {
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
  store volatile i32 3, ptr %p
  ret void
})");
  const Plan plan = late("f", Placement::BigFoot);
  expect_consistent(plan);
  EXPECT_EQ(plan.checks.size(), 1u) << text(plan);
}

TEST_F(Late, ThrowingCall_DoesNotLoseAPendingCheck) {
  parse(R"(
define void @f(ptr %p) {
  store i32 1, ptr %p
  call void @unknown()
  store i32 1, ptr %p
  ret void
})");
  EXPECT_EQ(own_checks(late("f", Placement::BigFoot)), 2u);
}

TEST_F(Late, VariablesOfALoop_AreOtherLocationsInTheNextIteration) {
  parse(R"(
define void @f(ptr %list) {
entry:
  br label %loop
loop:
  %node = phi ptr [ %list, %entry ], [ %next, %loop ]
  %v = getelementptr i8, ptr %node, i64 8
  store i64 1, ptr %v
  %next = load ptr, ptr %node
  %c = icmp eq ptr %next, null
  br i1 %c, label %done, label %loop
done:
  ret void
})");
  const Plan plan = late("f", Placement::BigFoot);
  expect_consistent(plan);
  EXPECT_EQ(own_checks(plan), 2u) << text(plan);
  for (const PlannedCheck& check : plan.checks)
    EXPECT_EQ(check.position.before->getParent()->getName(), "loop");
}

TEST_F(Late, ReadBeforeALoopThatWrites_KeepsTheWriteCheck) {
  parse(R"(
define void @f(ptr %p, ptr %flag) {
entry:
  %before = load volatile i32, ptr %p
  br label %loop
loop:
  store volatile i32 1, ptr %p
  %a = load volatile i32, ptr %flag
  %c = icmp eq i32 %a, 0
  br i1 %c, label %loop, label %done
done:
  ret void
})");
  const Plan plan = late("f", Placement::BigFoot);
  expect_consistent(plan);
  for (const unsigned check : plan.accesses[1].covered_by)
    EXPECT_EQ(plan.checks[check].kind, AccessKind::Write) << text(plan);
}

TEST_F(Late, SetJmp_KeepsEveryCheck) {
  parse(R"(
declare i32 @setjmp(ptr) returns_twice
define void @f(ptr %p) {
  store i32 1, ptr %p
  %r = call i32 @setjmp(ptr @m) returns_twice
  store i32 1, ptr %p
  store i32 2, ptr %p
  ret void
})");
  EXPECT_EQ(own_checks(late("f", Placement::BigFoot)), 3u);
}

TEST_F(Late, SetJmp_IsCountedAsAFallback) {
  parse(R"(
declare i32 @setjmp(ptr) returns_twice
define void @f(ptr %p) {
  %r = call i32 @setjmp(ptr @m) returns_twice
  store i32 1, ptr %p
  ret void
}
define void @g(ptr %p) {
  store i32 1, ptr %p
  ret void
})");
  const auto count = [&](StringRef name) {
    return late(name, Placement::BigFoot).fallbacks[static_cast<unsigned>(Fallback::ControlFlow)];
  };
  EXPECT_EQ(count("f"), 1u);
  EXPECT_EQ(count("g"), 0u);
}

// As many blocks as addresses, so that the contexts outgrow the budget.
TEST_F(Late, FunctionBeyondTheBudget_KeepsEveryCheckAndIsCounted) {
  constexpr unsigned many = 6000;
  std::string body = "define void @f(ptr %p) {\n";
  for (unsigned i = 0; i < many; ++i) {
    const std::string n = std::to_string(i);
    body += "  %q" + n + " = getelementptr i8, ptr %p, i64 " + n + "\n  store i8 1, ptr %q" + n +
            "\n  br label %b" + n + "\nb" + n + ":\n";
  }
  parse(body + "  ret void\n}");
  const Plan plan = late("f", Placement::BigFoot);
  EXPECT_EQ(own_checks(plan), many);
  EXPECT_EQ(plan.fallbacks[static_cast<unsigned>(Fallback::Budget)], 1u);
}

// One block, as generators write it: the walks from accesses to their checks outgrow the budget, or finding the paths would.
TEST_F(Late, BlockBeyondTheBudget_KeepsEveryCheckAndIsCounted) {
  const auto stores = [](unsigned many) {
    std::string body = "define void @f(ptr %p) {\n";
    for (unsigned i = 0; i < many; ++i) {
      const std::string n = std::to_string(i);
      body += "  %q" + n + " = getelementptr i8, ptr %p, i64 " + std::to_string(8 * i) +
              "\n  store i8 1, ptr %q" + n + "\n";
    }
    return body + "  ret void\n}";
  };
  for (unsigned many : {9000u, 40000u}) {
    parse(stores(many));
    const Plan plan = late("f", Placement::BigFoot);
    EXPECT_EQ(own_checks(plan), many);
    EXPECT_EQ(plan.fallbacks[static_cast<unsigned>(Fallback::Budget)], 1u);
  }
  parse(stores(1000));
  EXPECT_EQ(late("f", Placement::BigFoot).fallbacks[static_cast<unsigned>(Fallback::Budget)], 0u);
}

} // namespace
} // namespace footrace
