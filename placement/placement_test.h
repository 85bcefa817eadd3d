// What the tests of placement share: IR text in, plan out.
#pragma once

#include "placement/placement.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace footrace {

// The analyses of one function.
struct AnalysesOf {
  explicit AnalysesOf(llvm::Function& function)
      : dominators(function), loops(dominators), assumptions(function),
        library(llvm::TargetLibraryInfoImpl(function.getParent()->getTargetTriple()), &function),
        scev(function, library, assumptions, dominators, loops) {}
  FunctionAnalyses get() { return {loops, scev, dominators}; }

  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  llvm::AssumptionCache assumptions;
  llvm::TargetLibraryInfo library;
  llvm::ScalarEvolution scev;
};

class PlacementTest : public testing::Test {
protected:
  // Parses the module. Functions get sanitize_thread, and `@acquire`, `@release`, `@unknown`, `@pure` are declared: a mutex is
  // locked, unlocked, anything may happen, nothing happens.
  void parse(llvm::StringRef text) {
    llvm::SMDiagnostic error;
    const std::string all = (text + R"(
declare i32 @pthread_mutex_lock(ptr) nounwind
declare i32 @pthread_mutex_unlock(ptr) nounwind
declare void @unknown()
declare i32 @pure(i32) nounwind willreturn memory(none)
@m = global [40 x i8] zeroinitializer
)")
                                .str();
    module_ = llvm::parseAssemblyString(all, error, context_);
    if (!module_) {
      std::string message;
      llvm::raw_string_ostream out(message);
      error.print("test", out);
      FAIL() << message;
    }
    for (llvm::Function& function : *module_)
      if (!function.isDeclaration()) function.addFnAttr(llvm::Attribute::SanitizeThread);
    summaries_.emplace(*module_, World::File, [&](llvm::Function& f) { return analyses(f).get(); });
  }

  AnalysesOf& analyses(llvm::Function& function) {
    auto& entry = analyses_[&function];
    if (!entry) entry = std::make_unique<AnalysesOf>(function);
    return *entry;
  }

  Plan late(llvm::StringRef name, Placement placement) {
    llvm::Function& function = *module_->getFunction(name);
    return plan_late(function, race_freedom_, *summaries_, analyses(function).get(),
                     {.placement = placement});
  }
  Plan early(llvm::StringRef name, Placement placement = Placement::BigFoot) {
    llvm::Function& function = *module_->getFunction(name);
    return plan_early(function, race_freedom_, *summaries_, analyses(function).get(),
                      {.placement = placement});
  }

  static std::string text(const Plan& plan) {
    std::string all;
    llvm::raw_string_ostream out(all);
    print(plan, out);
    return all;
  }
  static unsigned own_checks(const Plan& plan) {
    unsigned count = 0;
    for (const PlannedCheck& check : plan.checks) count += check.shape == Shape::Own ? 1 : 0;
    return count;
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  llvm::DenseMap<llvm::Function*, std::unique_ptr<AnalysesOf>> analyses_;
  std::optional<Summaries> summaries_;
  RaceFreedom race_freedom_{RaceFreedomOptions{}};
};

// Every access is in exactly one state, and checks and accesses know each other.
inline void expect_consistent(const Plan& plan) {
  for (unsigned i = 0; i < plan.accesses.size(); ++i) {
    const PlannedAccess& planned = plan.accesses[i];
    if (!has_check_elsewhere(planned))
      EXPECT_NE(planned.left_out.has_value(), !planned.covered_by.empty()) << i;
    EXPECT_EQ(planned.rule.has_value(), !planned.left_out && !plan.has_own_check(i)) << i;
    for (const unsigned check : planned.covered_by)
      EXPECT_TRUE(llvm::is_contained(plan.checks[check].covers, i)) << i;
  }
  for (const PlannedCheck& check : plan.checks) EXPECT_FALSE(check.covers.empty());
}

} // namespace footrace
