#include "prove/executions.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace footrace::prove {

const Shapes::Shape& Shapes::of(const llvm::Function& function) {
  std::unique_ptr<Shape>& shape = shapes_[&function];
  if (!shape) shape = std::make_unique<Shape>(const_cast<llvm::Function&>(function));
  return *shape;
}

std::optional<Way> way_out(const llvm::BasicBlock& block) {
  if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) return Way::Returns;
  if (llvm::isa<llvm::ResumeInst>(block.getTerminator())) return Way::Throws;
  return std::nullopt;
}

bool may_throw_out(const llvm::Instruction& inst) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
  return call && !call->doesNotThrow() && !call->getFunction()->doesNotThrow() &&
         !llvm::isa<llvm::IntrinsicInst>(call) && !call->isInlineAsm();
}

Way way_to(const llvm::BasicBlock& block, const llvm::BasicBlock* next) {
  const auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(block.getTerminator());
  return invoke && invoke->getUnwindDest() == next ? Way::Throws : Way::Returns;
}

bool may_reach(const llvm::Instruction* from, const llvm::Instruction* to, const llvm::Instruction* barrier) {
  // The rest of the first block, then whole blocks.
  auto scan = [&](llvm::BasicBlock::const_iterator begin, const llvm::BasicBlock& block, bool& blocked) {
    for (auto it = begin; it != block.end(); ++it) {
      if (&*it == to) return true;
      if (&*it == barrier) {
        blocked = true;
        return false;
      }
    }
    return false;
  };
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
  llvm::SmallVector<const llvm::BasicBlock*> work;
  bool blocked = false;
  if (scan(std::next(from->getIterator()), *from->getParent(), blocked)) return true;
  if (!blocked) work.append(llvm::succ_begin(from->getParent()), llvm::succ_end(from->getParent()));
  while (!work.empty()) {
    const llvm::BasicBlock* block = work.pop_back_val();
    if (!seen.insert(block).second) continue;
    blocked = false;
    if (scan(block->begin(), *block, blocked)) return true;
    if (!blocked) work.append(llvm::succ_begin(block), llvm::succ_end(block));
  }
  return false;
}

Executions::Executions(const PointsTo& pointers) : pointers_(pointers) {
  std::size_t count = pointers.instances().size();
  again_.resize(static_cast<unsigned>(count));
  std::vector<std::vector<std::pair<InstanceId, bool>>> targets(count); // and whether the site is in a loop
  std::vector<unsigned> incoming(count, 0);
  for (InstanceId caller = 0; caller < count; caller++)
    for (const llvm::Instruction& inst : llvm::instructions(*pointers.instances()[caller].function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst)) {
        bool is_repeated = is_in_cycle(call) || pointers.may_spawn_many(caller, call) ||
                           pointers.may_call_back_often(caller, call);
        auto add = [&](InstanceId target) {
          targets[caller].push_back({target, is_repeated});
          incoming[target]++;
        };
        for (InstanceId callee : pointers.callees(caller, call)) add(callee);
        for (InstanceId entry : pointers.spawned(caller, call)) add(entry);
      }
  std::vector<InstanceId> work;
  auto mark = [&](InstanceId instance) {
    if (again_.test(instance)) return;
    again_.set(instance);
    work.push_back(instance);
  };
  for (InstanceId caller = 0; caller < count; caller++)
    for (auto [target, in_loop] : targets[caller])
      if (in_loop || incoming[target] > 1 || target == pointers.main_instance()) mark(target);
  while (!work.empty()) {
    InstanceId caller = work.back();
    work.pop_back();
    for (auto [target, in_loop] : targets[caller]) mark(target);
  }
}

bool Executions::is_in_cycle(const llvm::Instruction* inst) const { return may_reach(inst, inst, nullptr); }

bool Executions::may_run_again(InstanceId instance, const llvm::Instruction* inst) const {
  return may_run_again(instance) || is_in_cycle(inst);
}

bool Executions::is_single(ObjectId id) const {
  const Object& object = pointers_.memory()[id];
  switch (object.kind) {
  case ObjectKind::Global:
  case ObjectKind::Verifier:
    return true;
  case ObjectKind::Stack:
  case ObjectKind::Heap: {
    const auto* inst = llvm::cast<llvm::Instruction>(object.site);
    for (InstanceId id = 0; id < pointers_.instances().size(); id++)
      if (pointers_.instances()[id].function == inst->getFunction() &&
          pointers_.instances()[id].context == object.context)
        return !may_run_again(id, inst);
    return false;
  }
  default:
    return false;
  }
}

bool Executions::is_single_location(LocationId id) const {
  const Location& location = pointers_.memory().at(id);
  return is_single(location.object) && !pointers_.memory()[location.object].layout.range_at(location.offset);
}

} // namespace footrace::prove
