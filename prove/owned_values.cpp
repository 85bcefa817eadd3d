#include "prove/owned_values.h"

#include "prove/locks.h"
#include "prove/shared_owners.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace footrace::prove {
namespace {

constexpr int most = 8; // references are counted up to this

using Values = llvm::SmallPtrSet<const llvm::Value*, 8>;

Values choices_with(const llvm::Value& value) {
  Values values;
  llvm::SmallVector<const llvm::Value*> work{&value};
  while (!work.empty()) {
    const llvm::Value* next = work.pop_back_val();
    if (!values.insert(next).second) continue;
    for (const llvm::User* user : next->users())
      if (llvm::isa<llvm::PHINode, llvm::SelectInst>(user)) work.push_back(user);
  }
  return values;
}

// A use that neither keeps nor drops the reference.
bool only_looks_at(const llvm::Use& use) {
  const auto* inst = llvm::cast<llvm::Instruction>(use.getUser());
  if (llvm::isa<llvm::GetElementPtrInst, llvm::ICmpInst, llvm::PHINode, llvm::SelectInst, llvm::LoadInst>(
          inst))
    return true;
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(inst)) return use.get() != store->getValueOperand();
  const auto* call = llvm::dyn_cast<llvm::CallBase>(inst);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && (callee->isIntrinsic() ||
                    (is_count_of_owners(callee->getName()) && !callee->getName().contains("_release")));
}

bool is_addition(const llvm::Instruction& inst, const llvm::Value& counts) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && is_count_of_owners(callee->getName()) && callee->getName().contains("_M_add_ref_copyEv") &&
         call->getArgOperand(0) == &counts;
}

class Balance {
public:
  explicit Balance(const llvm::CallBase& counts) : counts_(counts), values_(choices_with(counts)) {
    const llvm::Function& function = *counts.getFunction();
    bool again = true;
    while (again) {
      again = false;
      for (const llvm::BasicBlock& block : function) again |= flow(block);
    }
  }

  // Nothing: the allocation has not been made on any way.
  std::optional<int> before(const llvm::Instruction* at) const {
    auto entry = entries_.find(at->getParent());
    std::optional<int> held = entry == entries_.end() ? std::nullopt : std::optional(entry->second);
    for (const llvm::Instruction& inst : *at->getParent()) {
      if (&inst == at) break;
      apply(inst, held);
    }
    return held;
  }

private:
  void apply(const llvm::Instruction& inst, std::optional<int>& held) const {
    if (&inst == &counts_) held = 1;
    if (!held || &inst == &counts_) return;
    if (is_addition(inst, counts_)) *held = std::min(most, *held + 1);
    for (const llvm::Use& use : inst.operands())
      if (values_.contains(use.get()) && !only_looks_at(use)) *held = std::max(0, *held - 1);
  }

  bool flow(const llvm::BasicBlock& block) {
    auto entry = entries_.find(&block);
    std::optional<int> held = entry == entries_.end() ? std::nullopt : std::optional(entry->second);
    for (const llvm::Instruction& inst : block)
      if (!inst.isTerminator()) apply(inst, held);
    const ZeroTest test = zero_test(block);
    bool changed = false;
    for (const llvm::BasicBlock* next : llvm::successors(&block)) {
      if (test.value == &counts_ && next == test.zero) continue; // memory that was allocated is not null
      std::optional<int> left = held;
      const llvm::Instruction& last = *block.getTerminator();
      bool is_thrown = way_to(block, next) == Way::Throws;
      if (!(is_thrown && (&last == &counts_ || is_addition(last, counts_)))) apply(last, left);
      if (!left) continue;
      auto [known, is_new] = entries_.try_emplace(next, *left);
      changed |= is_new || *left < known->second;
      known->second = std::min(known->second, *left);
    }
    return changed;
  }

  const llvm::CallBase& counts_;
  Values values_;
  std::map<const llvm::BasicBlock*, int> entries_;
};

} // namespace

bool may_have_given_up(const llvm::CallBase& counts, const llvm::Instruction* at) {
  std::optional<int> held = Balance(counts).before(at);
  return !held || *held < 1;
}

} // namespace footrace::prove
