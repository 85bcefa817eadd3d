// What C and C++ can lose a pending check to, or change its meaning (DESIGN: from Java to C and C++): after both branches have accessed
// the same bytes, the check of both is pending at the join. It must be made before each of these, and need not be before the
// nearest that lose nothing.
#include "placement/bigfoot/contexts.h"
#include "placement/placement_test.h"

using namespace llvm;

namespace footrace {
namespace {

struct Statement {
  const char* name;
  const char* text;
};

class Losses : public PlacementTest, public testing::WithParamInterface<Statement> {
protected:
  // True if what is pending is checked right before the statement.
  bool has_check_before_statement() {
    Function& function = *module_->getFunction("f");
    const FunctionAnalyses needed = analyses(function).get();
    const Plan plan = plan_accesses(function, race_freedom_);
    BitVector stores(static_cast<unsigned>(plan.accesses.size()));
    stores.set(0, 2);
    const Paths paths(plan, stores, needed.scev, needed.dominators);
    const Steps steps(plan, paths, *summaries_, needed);
    const bigfoot::Contexts contexts(steps, paths, needed.loops);
    const Instruction& statement = *std::next(function.back().begin());
    return any_of(contexts.place(), [&](const bigfoot::PlacedCheck& check) {
      const ArrayRef<Step> all = steps.of(*check.block);
      return check.to == nullptr && check.step < all.size() && all[check.step].inst == &statement;
    });
  }

  void parse_with(const char* statement) {
    parse(std::string(R"(
declare void @free(ptr) nounwind
declare void @exit(i32) noreturn nounwind
declare void @abort() noreturn nounwind
declare void @longjmp(ptr, i32) noreturn nounwind
declare void @pthread_exit(ptr) noreturn
declare void @pthread_testcancel()
declare i64 @read(i32, ptr, i64)
declare i32 @munmap(ptr, i64)
declare i64 @strlen(ptr)
declare void @llvm.lifetime.end.p0(ptr)
define internal void @may_spin(ptr %q) {
  br label %loop
loop:
  %flag = load volatile i32, ptr %q
  %again = icmp eq i32 %flag, 0
  br i1 %again, label %loop, label %out
out:
  ret void
}
define void @f(ptr %p, i1 %c, ptr %q) personality ptr null {
entry:
  %local = alloca i32
  br i1 %c, label %a, label %b
a:
  store i32 1, ptr %p
  br label %join
b:
  store i32 2, ptr %p
  br label %join
join:
  %marker = add i32 0, 0
  )") + statement +
          "\n  ret void\n}");
  }
};

class Loses : public Losses {};
class LosesNothing : public Losses {};

TEST_P(Loses, PendingCheck_IsMadeBefore) {
  parse_with(GetParam().text);
  EXPECT_TRUE(has_check_before_statement());
}

TEST_P(LosesNothing, PendingCheck_IsMadeAfter) {
  parse_with(GetParam().text);
  EXPECT_FALSE(has_check_before_statement());
}

constexpr Statement losing[] = {
    {"Exception", "call void @unknown()"},
    {"LongJmp", "call void @longjmp(ptr %q, i32 1)"},
    {"Exit", "call void @exit(i32 0)"},
    {"Abort", "call void @abort()"},
    {"ThreadExit", "call void @pthread_exit(ptr null)"},
    {"Cancellation", "call void @pthread_testcancel()"},
    {"CancellationPoint", "%n = call i64 @read(i32 0, ptr %q, i64 1)"},
    {"EndlessLoop", "call void @may_spin(ptr %q)"},
    {"Free", "call void @free(ptr %p)"},
    {"FreeOfAnAlias", "call void @free(ptr %q)"},
    {"Unmapping", "%n = call i32 @munmap(ptr %p, i64 4096)"},
    {"AcquireFence", "fence acquire"},
    {"ReleaseFence", "fence release"},
    {"Assembly", R"ir(call void asm sideeffect "lock xchg %eax, ($0)", "r,~{memory}"(ptr %q))ir"},
    {"SystemCallInAssembly", R"ir(call void asm sideeffect "syscall", "~{memory},~{rcx},~{r11}"())ir"},
};
constexpr Statement harmless[] = {
    {"KnownLibraryCall", "%n = call i64 @strlen(ptr %q)"},
    {"EndOfAnotherLifetime", "call void @llvm.lifetime.end.p0(ptr %local)"},
    {"SignalFence", R"(fence syncscope("singlethread") seq_cst)"},
    {"RelaxedStore", "store atomic i32 1, ptr %q monotonic, align 4"},
    {"CompilerBarrier", R"ir(call void asm sideeffect "", "~{memory}"())ir"},
};
const auto name = [](const testing::TestParamInfo<Statement>& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Statements, Loses, testing::ValuesIn(losing), name);
INSTANTIATE_TEST_SUITE_P(Statements, LosesNothing, testing::ValuesIn(harmless), name);

} // namespace
} // namespace footrace
