// ScalarEvolution of one function, with everything that it wants to know.
#pragma once

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"

namespace footrace::prove {

struct LoopArithmetic {
  llvm::TargetLibraryInfoImpl library_impl;
  llvm::TargetLibraryInfo library;
  llvm::AssumptionCache assumptions;
  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  llvm::ScalarEvolution evolution;

  explicit LoopArithmetic(llvm::Function& function)
      : library_impl(function.getParent()->getTargetTriple()), library(library_impl), assumptions(function),
        dominators(function), loops(dominators),
        evolution(function, library, assumptions, dominators, loops) {}
};

} // namespace footrace::prove
