#include "placement/marks.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace footrace {
namespace {

constexpr const char* list_name = "footrace.covered";

MDNode* group_of(const Module& module) {
  const NamedMDNode* list = module.getNamedMetadata(list_name);
  return list != nullptr && list->getNumOperands() != 0 ? list->getOperand(0) : nullptr;
}

MDNode* make_group(Module& module) {
  if (MDNode* known = group_of(module)) return known;
  MDNode* group = MDNode::getDistinct(module.getContext(), {});
  module.getOrInsertNamedMetadata(list_name)->addOperand(group);
  return group;
}

// An instruction has one group, or a list of them.
MDNode* without(MDNode* groups, const MDNode* group) {
  if (groups == group) return nullptr;
  SmallVector<Metadata*, 4> rest;
  for (const MDOperand& operand : groups->operands())
    if (operand.get() != group) rest.push_back(operand.get());
  if (rest.size() == groups->getNumOperands()) return groups;
  if (rest.size() == 1) return cast<MDNode>(rest.front());
  return rest.empty() ? nullptr : MDNode::get(groups->getContext(), rest);
}

} // namespace

void mark_covered(Instruction& access) {
  MDNode* group = make_group(*access.getModule());
  access.setMetadata(LLVMContext::MD_access_group,
                     uniteAccessGroups(access.getMetadata(LLVMContext::MD_access_group), group));
}

bool has_cover_mark(const Instruction& access) {
  MDNode* groups = access.getMetadata(LLVMContext::MD_access_group);
  const MDNode* group = groups != nullptr ? group_of(*access.getModule()) : nullptr;
  return group != nullptr && without(groups, group) != groups;
}

void drop_cover_marks(Function& function) {
  const MDNode* group = group_of(*function.getParent());
  if (group == nullptr) return;
  for (Instruction& inst : instructions(function))
    if (MDNode* groups = inst.getMetadata(LLVMContext::MD_access_group))
      inst.setMetadata(LLVMContext::MD_access_group, without(groups, group));
}

} // namespace footrace
