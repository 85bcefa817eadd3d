#include "instrument/in_line.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>
#include <tuple>

using namespace llvm;

namespace footrace {
namespace {

// All limits follow from one of them, which is lowered. Tests of readers are the first to go.
constexpr size_t most_generous = 64, least = 4;
InLineLimits with_most_in_loops(size_t most) {
  return {std::min<size_t>(most / 2, 12), most, most == most_generous ? most : most / 4};
}

// Tests of a module: so many, and one for so many instructions (docs/pass.md, compile time).
constexpr size_t free_tests = 256;
constexpr size_t instructions_per_test = 32;

// Blocks that end the program or pass an exception on.
bool is_left_by_failure(const BasicBlock& block) {
  return block.isEHPad() || isa<UnreachableInst, ResumeInst>(block.getTerminator());
}

bool may_test_in_loop(const BasicBlock& block, const LoopInfo& loops) {
  return loops.getLoopFor(&block) != nullptr && !is_left_by_failure(block);
}

// What decides about the tests of a function.
struct Counts {
  size_t checks = 0, in_loops = 0, reads_in_loops = 0;
};

Counts count(const Plan& plan, const LoopInfo& loops) {
  Counts counts{.checks = plan.checks.size()};
  for (const PlannedCheck& check : plan.checks) {
    if (has_atomicity(check.kind) || (check.shape != Shape::Own && check.shape != Shape::Fixed)) continue;
    const Position& at = check.position;
    const BasicBlock* block = check.shape == Shape::Own ? plan.accesses[check.own].access.inst->getParent()
                              : at.before != nullptr    ? at.before->getParent()
                                                        : at.to;
    if (!may_test_in_loop(*block, loops)) continue;
    ++counts.in_loops;
    if (check.kind == AccessKind::Read) ++counts.reads_in_loops;
  }
  return counts;
}

// How many tests a function would have.
size_t tests(const Counts& counts, const InLineLimits& limits) {
  const size_t in_loops = std::min(counts.in_loops, limits.most_in_loops);
  const size_t all = counts.checks <= limits.few_checks ? std::max(counts.checks, in_loops) : in_loops;
  return all + std::min(counts.reads_in_loops, limits.most_readers);
}

} // namespace

InLineLimits in_line_limits(ArrayRef<Plan> plans, GetAnalyses get_analyses) {
  size_t instructions = 0;
  std::vector<Counts> functions;
  for (const Plan& plan : plans) {
    instructions += plan.function->getInstructionCount();
    if (!plan.checks.empty()) functions.push_back(count(plan, get_analyses(*plan.function).loops));
  }
  const size_t budget = free_tests + instructions / instructions_per_test;
  const auto keeps_budget = [&](const InLineLimits& limits) {
    size_t sum = 0;
    for (const Counts& counts : functions) sum += tests(counts, limits);
    return sum <= budget;
  };
  size_t most = most_generous;
  while (most > least && !keeps_budget(with_most_in_loops(most))) --most;
  return with_most_in_loops(most);
}

SmallPtrSet<const Instruction*, 32> tested_in_loops(ArrayRef<const Instruction*> checked,
                                                    const LoopInfo& loops, const InLineLimits& limits) {
  struct Place {
    unsigned depth, number;
    const Instruction* inst;
  };
  SmallVector<Place, 32> places;
  for (const Instruction* inst : checked)
    if (may_test_in_loop(*inst->getParent(), loops))
      places.push_back({loops.getLoopDepth(inst->getParent()), static_cast<unsigned>(places.size()), inst});
  llvm::sort(places, [](const Place& a, const Place& b) {
    return std::tie(b.depth, a.number) < std::tie(a.depth, b.number);
  });
  if (places.size() > limits.most_in_loops) places.truncate(limits.most_in_loops);
  SmallPtrSet<const Instruction*, 32> tested;
  for (const Place& place : places) tested.insert(place.inst);
  return tested;
}

} // namespace footrace
