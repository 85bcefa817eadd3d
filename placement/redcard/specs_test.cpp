// [CALL] and [METHOD]: what callers and callees check for each other. Each test has its negative twin.
#include "placement/placement_test.h"
#include "placement/redcard/specs.h"

namespace footrace::redcard {
namespace {

class SpecsOf : public PlacementTest, public testing::WithParamInterface<Placement> {
protected:
  void specify(llvm::StringRef text) {
    analyses_.clear();
    parse(text);
    specs_.emplace(
        *module_, *summaries_, race_freedom_, [&](llvm::Function& f) { return analyses(f).get(); },
        [](const llvm::Function&) { return true; });
  }
  Plan plan(llvm::StringRef name) {
    llvm::Function& function = *module_->getFunction(name);
    Plan made = plan_late(function, race_freedom_, *summaries_, analyses(function).get(),
                          {.placement = GetParam()}, &*specs_);
    expect_consistent(made);
    return made;
  }
  size_t checks(llvm::StringRef name) { return plan(name).checks.size(); }

  std::optional<Specs> specs_;
};
INSTANTIATE_TEST_SUITE_P(Presets, SpecsOf, testing::Values(Placement::RedCard, Placement::BigFoot),
                         [](const auto& info) {
                           return info.param == Placement::RedCard ? "RedCard" : "BigFoot";
                         });

constexpr const char* getter = R"(
define internal i64 @get(ptr %p) noinline nounwind {
  %v = load volatile i64, ptr %p
  ret i64 %v
})";

std::string after(llvm::StringRef callee, llvm::StringRef body) { return (callee + "\n" + body).str(); }

TEST_P(SpecsOf, Requires_EveryCallerHasAccessedIt) {
  specify(after(getter, R"(
define i64 @one(ptr %p) {
  store volatile i64 1, ptr %p
  %v = call i64 @get(ptr %p)
  ret i64 %v
}
define i64 @two(ptr %q) {
  %x = load volatile i64, ptr %q
  %v = call i64 @get(ptr %q)
  ret i64 %v
})"));
  const Plan get = plan("get");
  EXPECT_TRUE(get.checks.empty()) << text(get);
  EXPECT_EQ(get.accesses[0].rule, Rule::Requires);
  EXPECT_EQ(checks("one"), 1u);
  EXPECT_EQ(checks("two"), 1u) << "who relies on nobody checks";
}

TEST_P(SpecsOf, Requires_NotIfOneCallerHasNot) {
  specify(after(getter, R"(
define i64 @one(ptr %p) {
  store volatile i64 1, ptr %p
  %v = call i64 @get(ptr %p)
  ret i64 %v
}
define i64 @two(ptr %q) {
  %v = call i64 @get(ptr %q)
  ret i64 %v
})"));
  EXPECT_EQ(checks("get"), 1u);
}

TEST_P(SpecsOf, Requires_NotAcrossARelease) {
  specify(after(getter, R"(
define i64 @one(ptr %p) {
  store volatile i64 1, ptr %p
  %u = call i32 @pthread_mutex_unlock(ptr @m)
  %v = call i64 @get(ptr %p)
  ret i64 %v
})"));
  EXPECT_EQ(checks("get"), 1u);
}

TEST_P(SpecsOf, Requires_NotAfterAReleaseInTheCallee) {
  specify(R"(
define internal i64 @get(ptr %p) noinline nounwind {
  %u = call i32 @pthread_mutex_unlock(ptr @m)
  %v = load volatile i64, ptr %p
  ret i64 %v
}
define i64 @one(ptr %p) {
  store volatile i64 1, ptr %p
  %v = call i64 @get(ptr %p)
  ret i64 %v
})");
  EXPECT_EQ(checks("get"), 1u);
}

TEST_P(SpecsOf, Requires_ReadsDoNotCoverWrites) {
  specify(R"(
define internal void @set(ptr %p) noinline nounwind {
  store volatile i64 2, ptr %p
  ret void
}
define void @one(ptr %p) {
  %v = load volatile i64, ptr %p
  call void @set(ptr %p)
  ret void
})");
  EXPECT_EQ(checks("set"), 1u);
}

TEST_P(SpecsOf, Requires_NotIfOthersMayCall) {
  for (const char* other : {"@table = global ptr @get", "@table = alias i64 (ptr), ptr @get"}) {
    specify(after(after(getter, other), R"(
define i64 @one(ptr %p) {
  store volatile i64 1, ptr %p
  %v = call i64 @get(ptr %p)
  ret i64 %v
})"));
    EXPECT_EQ(checks("get"), 1u) << other;
  }
}

TEST_P(SpecsOf, Requires_FollowsTheOffsetOfTheArgument) {
  const char* ir = R"(
define i64 @one(ptr %p) {
  %field = getelementptr i8, ptr %p, i64 OFFSET
  %q = getelementptr i8, ptr %p, i64 8
  store volatile i64 1, ptr %field
  %v = call i64 @get(ptr %q)
  ret i64 %v
})";
  for (const unsigned offset : {8u, 16u}) {
    std::string caller = ir;
    caller.replace(caller.find("OFFSET"), 6, std::to_string(offset));
    specify(after(getter, caller));
    EXPECT_EQ(checks("get"), offset == 8 ? 0u : 1u);
  }
}

TEST_P(SpecsOf, Requires_DownAChainOfCalls) {
  specify(after(getter, R"(
define internal i64 @middle(ptr %p) noinline nounwind {
  %v = call i64 @get(ptr %p)
  ret i64 %v
}
define i64 @outer(ptr %p) {
  store volatile i64 1, ptr %p
  %v = call i64 @middle(ptr %p)
  %w = load volatile i64, ptr %p
  ret i64 %v
})"));
  EXPECT_EQ(checks("get"), 0u);
  EXPECT_EQ(checks("outer"), 1u) << text(plan("outer"));
}

constexpr const char* setter = R"(
define void @set(ptr %p) noinline nounwind {
  store volatile i64 1, ptr %p
  ret void
})";

TEST_P(SpecsOf, Ensures_NoCheckBehindTheCall) {
  specify(after(setter, R"(
define i64 @f(ptr %p) {
  call void @set(ptr %p)
  %v = load volatile i64, ptr %p
  ret i64 %v
})"));
  const Plan f = plan("f");
  EXPECT_TRUE(f.checks.empty()) << text(f);
  EXPECT_EQ(f.accesses[0].rule, Rule::Ensures);
  EXPECT_EQ(checks("set"), 1u);
}

TEST_P(SpecsOf, Ensures_NotIfOneReturnHasNot) {
  specify(R"(
define void @set(ptr %p, i1 %c) noinline nounwind {
  br i1 %c, label %a, label %b
a:
  store volatile i64 1, ptr %p
  ret void
b:
  ret void
}
define i64 @f(ptr %p, i1 %c) {
  call void @set(ptr %p, i1 %c)
  %v = load volatile i64, ptr %p
  ret i64 %v
})");
  EXPECT_EQ(checks("f"), 1u);
}

TEST_P(SpecsOf, Ensures_NotIfTheCalleeReleasesAfterwards) {
  specify(R"(
define void @set(ptr %p) noinline nounwind {
  store volatile i64 1, ptr %p
  %u = call i32 @pthread_mutex_unlock(ptr @m)
  ret void
}
define i64 @f(ptr %p) {
  call void @set(ptr %p)
  %v = load volatile i64, ptr %p
  ret i64 %v
})");
  EXPECT_EQ(checks("f"), 1u);
}

TEST_P(SpecsOf, Ensures_NotIfTheLinkerMayTakeAnotherDefinition) {
  for (const char* linkage : {"weak", "linkonce_odr"}) {
    std::string callee = setter;
    callee.replace(callee.find("define"), 6, std::string("define ") + linkage);
    specify(after(callee, R"(
define i64 @f(ptr %p) {
  call void @set(ptr %p)
  %v = load volatile i64, ptr %p
  ret i64 %v
})"));
    EXPECT_EQ(checks("f"), 1u) << linkage;
  }
}

TEST_P(SpecsOf, Ensures_ReadsDoNotCoverWrites) {
  specify(after(getter, R"(
define void @f(ptr %p) {
  %v = call i64 @get(ptr %p)
  store volatile i64 1, ptr %p
  ret void
})"));
  EXPECT_EQ(checks("f"), 1u);
}

// The read of the entry is checked by the callee on one way; behind its release the second read needs a check of its own, which must not move
// back to the first.
TEST_P(SpecsOf, Ensures_CheckBehindALaterReleaseDoesNotMoveBeforeIt) {
  specify(R"(
define void @callee(ptr %p) sanitize_thread nounwind willreturn noinline {
  %v = load i32, ptr %p
  ret void
}
define i32 @f(ptr %p, i1 %early) sanitize_thread {
entry:
  %first = load i32, ptr %p
  br i1 %early, label %join, label %long
long:
  call void @callee(ptr %p)
  fence seq_cst
  %second = load i32, ptr %p
  br label %join
join:
  %v = phi i32 [ %first, %entry ], [ %second, %long ]
  %zero = icmp eq i32 %v, 0
  br i1 %zero, label %one, label %other
one:
  fence release
  ret i32 1
other:
  fence acquire
  ret i32 2
})");
  const Plan f = plan("f");
  const auto is_checked_behind_the_fence = [&](const PlannedCheck& check) {
    const llvm::BasicBlock* block = check.shape == Shape::Own ? f.accesses[check.own].access.inst->getParent()
                                    : check.position.before != nullptr ? check.position.before->getParent()
                                                                       : check.position.from;
    return block->getName() != "entry";
  };
  EXPECT_TRUE(llvm::any_of(f.checks, [&](const PlannedCheck& check) {
    return check.kind == AccessKind::Read && is_checked_behind_the_fence(check);
  }));
}

// The callee relies on the caller's first access; the caller must not rely on the callee for it.
TEST_P(SpecsOf, RequiresAndEnsures_AreNotCircular) {
  specify(after(getter, R"(
define i64 @f(ptr %p) {
  %a = load volatile i64, ptr %p
  %v = call i64 @get(ptr %p)
  %b = load volatile i64, ptr %p
  ret i64 %v
})"));
  EXPECT_EQ(checks("get") + checks("f"), 1u) << text(plan("f"));
}

TEST_P(SpecsOf, Recursion_RequiresNothing) {
  specify(R"(
define internal i64 @get(ptr %p, i64 %n) noinline nounwind {
  %v = load volatile i64, ptr %p
  %c = icmp eq i64 %n, 0
  br i1 %c, label %end, label %more
more:
  %m = sub i64 %n, 1
  %r = call i64 @get(ptr %p, i64 %m)
  br label %end
end:
  ret i64 %v
}
define i64 @f(ptr %p) {
  store volatile i64 1, ptr %p
  %v = call i64 @get(ptr %p, i64 3)
  ret i64 %v
})");
  EXPECT_EQ(checks("get"), 1u);
}

TEST_P(SpecsOf, Globals_AreNamesInBoth) {
  specify(R"(
@g = global i64 0
define internal i64 @get() noinline nounwind {
  %v = load volatile i64, ptr @g
  ret i64 %v
}
define i64 @f() {
  store volatile i64 1, ptr @g
  %v = call i64 @get()
  ret i64 %v
})");
  EXPECT_EQ(checks("get"), 0u);
  EXPECT_EQ(checks("f"), 1u);
}

} // namespace
} // namespace footrace::redcard
