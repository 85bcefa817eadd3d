// Shadow proxies: when one field stands for another, and the nearest programs where it must not.
#include "placement/proxies.h"

#include "placement/placement_test.h"

using namespace llvm;

namespace footrace {
namespace {

class Proxies : public PlacementTest, public testing::WithParamInterface<Placement> {
protected:
  // The plans of the module's functions, in their order.
  std::vector<Plan> plans(const std::string& functions) {
    parse("@s = internal global { i64, i64, i64, i64 } zeroinitializer, align 8\n"
          "@f = internal global i32 0, align 4\n"
          "@g = internal global i32 0, align 4\n" +
          functions);
    std::vector<Plan> made;
    for (Function& function : *module_)
      if (!function.isDeclaration()) made.push_back(late(function.getName(), GetParam()));
    use_proxies(made, ClosedGlobals(*module_, [](const Instruction&) { return true; }), *summaries_);
    for (const Plan& plan : made) expect_consistent(plan);
    return made;
  }

  static std::string bytes_of(const Plan& plan, const PlannedCheck& check) {
    const bool own = check.shape == Shape::Own;
    const Access* access = own ? &plan.accesses[check.own].access : nullptr;
    const Value* base = own ? access->address : check.base;
    APInt offset(64, own ? 0 : static_cast<uint64_t>(check.offset));
    base = base->stripAndAccumulateConstantOffsets(plan.function->getDataLayout(), offset, true);
    return (base->getName() + "+" + Twine(offset.getZExtValue()) + ":" +
            Twine(own ? access->size : check.size))
        .str();
  }

  // The bytes that are checked, "f+0:4 g+0:4", in the order of the plans.
  static std::string checked(ArrayRef<Plan> plans) {
    std::string all;
    for (const Plan& plan : plans) {
      std::vector<std::string> bytes;
      for (const PlannedCheck& check : plan.checks) bytes.push_back(bytes_of(plan, check));
      sort(bytes);
      for (const std::string& text : bytes) all += (all.empty() ? "" : " ") + text;
    }
    return all;
  }
};

const std::string write_both = R"(
define void @both(i32 %v) {
  store i32 %v, ptr @f
  store i32 %v, ptr @g
  ret void
})";

TEST_P(Proxies, VariablesThatAreAlwaysWrittenTogether_HaveOneCheck) {
  const std::vector<Plan> made = plans(write_both);
  EXPECT_EQ(checked(made), "f+0:4");
  const PlannedCheck& check = made[0].checks[0];
  ASSERT_EQ(check.proxied.size(), 1u);
  EXPECT_EQ(check.proxied[0].bytes.variable->getName(), "g");
  EXPECT_EQ(check.proxied[0].proxy.variable->getName(), "f");
  EXPECT_EQ(made[0].accesses[0].rule, Rule::Proxy);
  EXPECT_EQ(made[0].accesses[1].rule, Rule::Proxied);
}

TEST_P(Proxies, CheckOfTheProxyComesWhereTheFirstAccessIs) {
  const std::vector<Plan> made = plans(write_both + R"(
define void @other_order(i32 %v) {
  store i32 %v, ptr @g
  store i32 %v, ptr @f
  ret void
})");
  EXPECT_EQ(checked(made), "f+0:4 f+0:4");
  EXPECT_EQ(made[1].checks[0].position.before, made[1].accesses[0].access.inst) << text(made[1]);
}

TEST_P(Proxies, FieldsOfAStruct_AreCheckedInOneCell) {
  const std::vector<Plan> made = plans(R"(
define void @all(i64 %v) {
  store i64 %v, ptr @s
  store i64 %v, ptr getelementptr (i8, ptr @s, i64 8)
  store i64 %v, ptr getelementptr (i8, ptr @s, i64 16)
  store i64 %v, ptr getelementptr (i8, ptr @s, i64 24)
  ret void
})");
  EXPECT_EQ(checked(made), "s+0:8");
  for (unsigned i = 1; i < 4; ++i) EXPECT_TRUE(has_proxy(made[0].checks[0], i)) << i;
  EXPECT_FALSE(has_proxy(made[0].checks[0], 0));
}

TEST_P(Proxies, FieldsThatAreNotAlwaysCheckedTogether_KeepTheirChecks) {
  const std::vector<Plan> made = plans(R"(
define void @all(i64 %v) {
  store i64 %v, ptr @s
  store i64 %v, ptr getelementptr (i8, ptr @s, i64 16)
  store i64 %v, ptr getelementptr (i8, ptr @s, i64 24)
  ret void
}
define void @some(i64 %v) {
  store i64 %v, ptr getelementptr (i8, ptr @s, i64 16)
  store i64 %v, ptr getelementptr (i8, ptr @s, i64 24)
  ret void
})");
  EXPECT_EQ(checked(made), "s+0:8 s+16:8 s+16:8") << "the two fields have one check, the first has its own";
}

TEST_P(Proxies, FunctionThatTouchesOneOfThem_KeepsBoth) {
  EXPECT_EQ(checked(plans(write_both + R"(
define void @only_f(i32 %v) {
  store i32 %v, ptr @f
  ret void
})")),
            "f+0:4 g+0:4 f+0:4");
}

TEST_P(Proxies, OtherKind_KeepsBoth) {
  EXPECT_EQ(checked(plans(write_both + R"(
define i32 @mixed(i32 %v) {
  store i32 %v, ptr @f
  %g = load i32, ptr @g
  ret i32 %g
})")),
            "f+0:4 g+0:4 f+0:4 g+0:4");
}

TEST_P(Proxies, ReadsAndWritesAreCountedApart) {
  EXPECT_EQ(checked(plans(write_both + R"(
define i32 @read_both() {
  %f = load i32, ptr @f
  %g = load i32, ptr @g
  %sum = add i32 %f, %g
  ret i32 %sum
})")),
            "f+0:4 f+0:4");
}

TEST_P(Proxies, ReleaseBetween_KeepsBoth) {
  EXPECT_EQ(checked(plans(R"(
define void @apart(i32 %v) {
  store i32 %v, ptr @f
  call i32 @pthread_mutex_unlock(ptr @m)
  store i32 %v, ptr @g
  ret void
})")),
            "f+0:4 g+0:4");
}

TEST_P(Proxies, AcquireBetween_KeepsBoth) {
  EXPECT_EQ(checked(plans(R"(
define void @apart(i32 %v) {
  store i32 %v, ptr @f
  call i32 @pthread_mutex_lock(ptr @m)
  store i32 %v, ptr @g
  ret void
})")),
            "f+0:4 g+0:4");
}

TEST_P(Proxies, CallThatMayNotReturnBetween_KeepsBoth) {
  EXPECT_EQ(checked(plans(R"(
define void @apart(i32 %v) {
  store i32 %v, ptr @f
  call void @unknown()
  store i32 %v, ptr @g
  ret void
})")),
            "f+0:4 g+0:4");
}

TEST_P(Proxies, BranchThatHasOnlyOne_KeepsBoth) {
  EXPECT_EQ(checked(plans(R"(
define void @branch(i32 %v, i1 %c) {
  store i32 %v, ptr @f
  br i1 %c, label %then, label %end
then:
  store i32 %v, ptr @g
  br label %end
end:
  ret void
})")),
            "f+0:4 g+0:4");
}

TEST_P(Proxies, EscapedVariable_KeepsItsCheck) {
  EXPECT_EQ(checked(plans(write_both + R"(
declare void @keep(ptr)
define void @escape() {
  call void @keep(ptr @f)
  ret void
})")),
            "f+0:4 g+0:4");
}

TEST_P(Proxies, WideAccess_StandsForNarrowOnes) {
  const std::vector<Plan> made = plans(R"(
define void @wide(<4 x i64> %v) {
  store <4 x i64> %v, ptr @s, align 8
  ret void
}
define void @narrow(i64 %v) {
  store i64 %v, ptr @s
  store i64 %v, ptr getelementptr (i8, ptr @s, i64 8)
  store i64 %v, ptr getelementptr (i8, ptr @s, i64 16)
  store i64 %v, ptr getelementptr (i8, ptr @s, i64 24)
  ret void
})");
  EXPECT_EQ(checked(made), "s+0:8 s+0:8");
  EXPECT_TRUE(has_proxy(made[0].checks[0], 0)) << "most of it lies outside of what is checked";
}

TEST_P(Proxies, CheckOfMoreThanTheClass_KeepsTheRest) {
  const std::vector<Plan> made = plans(R"(
define void @wide(<2 x i64> %v) {
  store <2 x i64> %v, ptr @s, align 8
  store i64 0, ptr getelementptr (i8, ptr @s, i64 16)
  ret void
}
define void @narrow(i64 %v) {
  store i64 %v, ptr getelementptr (i8, ptr @s, i64 8)
  store i64 %v, ptr getelementptr (i8, ptr @s, i64 16)
  ret void
})");
  // [8,16) and [16,24) are always checked together, [0,8) is not.
  EXPECT_EQ(checked(made), "s+0:16 s+8:8");
}

TEST_P(Proxies, PieceInTheMiddleOfACheck_IsCheckedWithTheRest) {
  const std::vector<Plan> made = plans(R"(
define void @wide(<4 x i64> %v) {
  store i32 1, ptr @f
  store <4 x i64> %v, ptr @s, align 8
  ret void
}
define void @narrow(i64 %v) {
  store i32 1, ptr @f
  store i64 %v, ptr getelementptr (i8, ptr @s, i64 8)
  ret void
}
define void @last(i64 %v) {
  store i64 %v, ptr getelementptr (i8, ptr @s, i64 24)
  ret void
})");
  EXPECT_EQ(checked(made), "f+0:4 s+0:32 f+0:4 s+24:8") << "a check has no holes";
}

// A loop that writes elements [0, n) of @a.
std::string loop(const std::string& name, int n) {
  return "define void @" + name + R"((i32 %v) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %p = getelementptr inbounds [64 x i32], ptr @a, i64 0, i64 %i
  store i32 %v, ptr %p
  %next = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %next, )" +
         std::to_string(n) + R"(
  br i1 %again, label %body, label %end
end:
  ret void
}
)";
}

class ArrayProxies : public PlacementTest {
protected:
  // The range checks of the module's functions.
  std::vector<PlannedCheck> checks(const std::string& functions, const std::string& linkage = "internal") {
    parse("@a = " + linkage + " global [64 x i32] zeroinitializer, align 16\n" + functions);
    plans_.clear();
    for (Function& function : *module_)
      if (!function.isDeclaration()) plans_.push_back(early(function.getName()));
    use_array_proxies(plans_, *module_, *summaries_);
    std::vector<PlannedCheck> found;
    for (const Plan& plan : plans_) {
      expect_consistent(plan);
      for (const PlannedCheck& check : plan.checks)
        if (check.shape != Shape::Own) found.push_back(check);
    }
    return found;
  }
  std::vector<Plan> plans_;
};

TEST_F(ArrayProxies, ArrayThatLoopsAlwaysAccessAsAWhole_IsCheckedInItsFirstCell) {
  for (const PlannedCheck& check : checks(loop("one", 64) + loop("two", 64))) {
    EXPECT_EQ(check.shape, Shape::Fixed);
    EXPECT_EQ(check.size, 8u);
    ASSERT_EQ(check.proxied.size(), 1u);
    EXPECT_EQ(check.proxied[0].bytes.begin, 8u);
    EXPECT_EQ(check.proxied[0].bytes.end, 256u);
    EXPECT_EQ(check.covers.size(), 1u);
  }
  EXPECT_EQ(plans_[0].accesses[0].rule, Rule::Proxied);
}

TEST_F(ArrayProxies, LoopOverAPart_LeavesTwoPieces) {
  const std::vector<PlannedCheck> found = checks(loop("all", 64) + loop("half", 32));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].size, 128u + 8)
      << "the first half, which the other loop accesses too, and the first cell of the second";
  EXPECT_EQ(found[1].size, 8u);
}

TEST_F(ArrayProxies, ElementThatIsAccessedAlone_KeepsTheRange) {
  const std::vector<PlannedCheck> found = checks(loop("all", 64) + R"(
define void @element(i32 %v) {
  store i32 %v, ptr getelementptr (i8, ptr @a, i64 12)
  ret void
})");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].shape, Shape::Range);
}

TEST_F(ArrayProxies, RangeThatIsNotKnown_KeepsTheRange) {
  const std::vector<PlannedCheck> found = checks(loop("all", 64) + R"(
define void @some(i32 %v, i64 %n) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %p = getelementptr inbounds [64 x i32], ptr @a, i64 0, i64 %i
  store i32 %v, ptr %p
  %next = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %body, label %end
end:
  ret void
})");
  ASSERT_EQ(found.size(), 2u);
  for (const PlannedCheck& check : found) EXPECT_EQ(check.shape, Shape::Range);
}

TEST_F(ArrayProxies, ArrayThatOthersKnow_KeepsTheRange) {
  const std::vector<PlannedCheck> found = checks(loop("all", 64), "");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].shape, Shape::Range);
}

INSTANTIATE_TEST_SUITE_P(Presets, Proxies, testing::Values(Placement::RedCard, Placement::BigFoot),
                         [](const auto& info) {
                           return info.param == Placement::RedCard ? std::string("RedCard")
                                                                   : std::string("BigFoot");
                         });

} // namespace
} // namespace footrace
