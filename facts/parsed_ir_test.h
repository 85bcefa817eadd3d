// A module from text, with the analyses that facts need, for unit tests.
#pragma once

#include "facts/summaries.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace footrace {

class ParsedIr {
public:
  explicit ParsedIr(const std::string& text) {
    llvm::SMDiagnostic error;
    module_ = llvm::parseAssemblyString(
        "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-"
        "f80:128-n8:16:32:64-S128\"\ntarget triple = \"x86_64-pc-linux-gnu\"\n" +
            text,
        error, context_);
    if (module_ == nullptr) {
      error.print("parsed_ir", llvm::errs());
      abort();
    }
    llvm::PassBuilder builder;
    builder.registerModuleAnalyses(modules_);
    builder.registerCGSCCAnalyses(components_);
    builder.registerFunctionAnalyses(functions_);
    builder.registerLoopAnalyses(loops_);
    builder.crossRegisterProxies(loops_, functions_, components_, modules_);
  }

  llvm::Module& module() { return *module_; }
  llvm::Function& function(const char* name) { return *module_->getFunction(name); }

  FunctionAnalyses analyses(llvm::Function& function) {
    return {functions_.getResult<llvm::LoopAnalysis>(function),
            functions_.getResult<llvm::ScalarEvolutionAnalysis>(function),
            functions_.getResult<llvm::DominatorTreeAnalysis>(function)};
  }

  Summaries summaries(World world = World::File) {
    return Summaries(*module_, world, [this](llvm::Function& function) { return analyses(function); });
  }

  Effects effects(const char* name, World world = World::File) {
    return summaries(world).effects(function(name));
  }

  // The first call in the function, not counting intrinsics.
  llvm::CallBase& call(const char* name) {
    for (llvm::Instruction& inst : llvm::instructions(function(name)))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&inst); call && !llvm::isa<llvm::IntrinsicInst>(call))
        return *call;
    abort();
  }

private:
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
};

} // namespace footrace
