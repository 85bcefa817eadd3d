#include "prove/member_pointers.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <optional>

namespace footrace::prove {
namespace {

constexpr unsigned function_part = 0, adjustment_part = 1;

bool is_member_pointer(const llvm::Type* type) {
  const auto* record = llvm::dyn_cast<llvm::StructType>(type);
  return record && record->isLiteral() && record->getNumElements() == 2 &&
         record->getElementType(0)->isIntegerTy(64) && record->getElementType(1)->isIntegerTy(64);
}

bool is_part_of_member_pointer(const llvm::Value& value, unsigned part) {
  const auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(&value);
  return extract && is_member_pointer(extract->getAggregateOperand()->getType()) &&
         extract->getIndices().front() == part;
}

// All that can be in a pointer to a member function, wherever it is made: constants, and conversions to classes whose
// base lies elsewhere. A constant that only looks like one does no harm.
class MemberPointers {
public:
  explicit MemberPointers(const llvm::Module& module) {
    for (const llvm::GlobalVariable& variable : module.globals())
      if (variable.hasInitializer()) examine(*variable.getInitializer());
    for (const llvm::Function& function : module)
      for (const llvm::Instruction& inst : llvm::instructions(function)) {
        examine(inst);
        if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst)) calls_.push_back(call);
      }
    for (const llvm::Function& function : module)
      for (const llvm::Argument& parameter : function.args()) examine(parameter);
  }

  bool may_adjust() const { return may_adjust_; }
  bool may_be_virtual() const { return may_be_virtual_; }

private:
  void examine(const llvm::Instruction& inst) {
    for (const llvm::Value* operand : inst.operands())
      if (const auto* constant = llvm::dyn_cast<llvm::Constant>(operand)) examine(*constant);
    const auto* insert = llvm::dyn_cast<llvm::InsertValueInst>(&inst);
    if (insert && is_member_pointer(insert->getType()))
      examine_part(*insert->getInsertedValueOperand(), insert->getIndices().front());
  }

  // Pointers are passed as two numbers. Unoptimised callers load both from a pointer in memory; others may pass anything.
  void examine(const llvm::Argument& parameter) {
    for (const llvm::User* user : parameter.users()) {
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
      if (!store || store->getValueOperand() != &parameter) continue;
      if (std::optional<unsigned> part = part_at(*store->getPointerOperand()))
        examine_arguments(parameter, *part);
    }
  }
  static std::optional<unsigned> part_at(const llvm::Value& place) {
    const auto* pointer = llvm::dyn_cast<llvm::GetElementPtrInst>(&place);
    const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(place.stripInBoundsOffsets());
    if (pointer && is_member_pointer(pointer->getSourceElementType()) && pointer->getNumIndices() == 2) {
      const auto* index = llvm::dyn_cast<llvm::ConstantInt>(pointer->getOperand(2));
      return index && index->isZero() ? function_part : adjustment_part;
    }
    if (!variable || !is_member_pointer(variable->getAllocatedType())) return std::nullopt;
    return variable == &place ? function_part : adjustment_part;
  }
  void examine_arguments(const llvm::Argument& parameter, unsigned part) {
    const llvm::Function* function = parameter.getParent();
    for (const llvm::CallBase* call : calls_) {
      const llvm::Function* callee = call->getCalledFunction();
      if (call->arg_size() <= parameter.getArgNo()) continue;
      if (callee ? callee != function : !function->hasAddressTaken()) continue;
      const llvm::Value* passed = call->getArgOperand(parameter.getArgNo());
      if (passed->getType() == parameter.getType() && !llvm::isa<llvm::LoadInst>(passed))
        examine_part(*passed, part);
    }
  }

  // What was a pointer's part before, or is a constant, tells nothing new.
  void examine_part(const llvm::Value& value, unsigned part) {
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(&value))
      examine_constant_part(*constant, part);
    else if (!is_part_of_member_pointer(value, part))
      (part == function_part ? may_be_virtual_ : may_adjust_) = true;
  }

  void examine_constant_part(const llvm::Constant& constant, unsigned part) {
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&constant);
    if (part == adjustment_part && !constant.isNullValue()) may_adjust_ = true;
    if (part == function_part && number && number->getValue()[0]) may_be_virtual_ = true;
  }

  void examine(const llvm::Constant& constant) {
    if (llvm::isa<llvm::GlobalValue>(constant) || !seen_.insert(&constant).second) return;
    if (llvm::isa<llvm::ConstantStruct>(constant) && is_member_pointer(constant.getType()))
      for (unsigned part : {function_part, adjustment_part})
        examine_constant_part(*constant.getAggregateElement(part), part);
    for (const llvm::Value* operand : constant.operands())
      if (const auto* inner = llvm::dyn_cast<llvm::Constant>(operand)) examine(*inner);
  }

  llvm::SmallPtrSet<const llvm::Constant*, 32> seen_;
  llvm::SmallVector<const llvm::CallBase*, 0> calls_;
  bool may_adjust_ = false, may_be_virtual_ = false;
};

llvm::ExtractValueInst* part_of_member_pointer(llvm::Value* value, unsigned part) {
  return is_part_of_member_pointer(*value, part) ? llvm::cast<llvm::ExtractValueInst>(value) : nullptr;
}

// "function & 1", which asks whether it is virtual.
bool asks_for_virtual(const llvm::Value* user) {
  const auto* mask = llvm::dyn_cast<llvm::BinaryOperator>(user);
  const auto* one = mask ? llvm::dyn_cast<llvm::ConstantInt>(mask->getOperand(1)) : nullptr;
  return one && mask->getOpcode() == llvm::Instruction::And && one->isOne();
}

bool is_called(const llvm::Value* pointer) {
  for (const llvm::User* user : pointer->users()) {
    const auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(user);
    if (extract && extract->getIndices().front() == function_part &&
        llvm::any_of(extract->users(), asks_for_virtual))
      return true;
  }
  return false;
}

} // namespace

void simplify_member_calls(llvm::Module& module) {
  const MemberPointers pointers(module);
  llvm::SmallVector<std::pair<llvm::Instruction*, llvm::Value*>> replaced;
  for (llvm::Function& function : module)
    for (llvm::Instruction& inst : llvm::instructions(function)) {
      if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&inst);
          address && !pointers.may_adjust() && address->getNumIndices() == 1)
        if (auto* part = part_of_member_pointer(address->getOperand(1), adjustment_part);
            part && is_called(part->getAggregateOperand()))
          replaced.push_back({&inst, address->getPointerOperand()});
      if (!pointers.may_be_virtual() && asks_for_virtual(&inst) &&
          part_of_member_pointer(inst.getOperand(0), function_part))
        replaced.push_back({&inst, llvm::ConstantInt::get(inst.getType(), 0)});
    }
  for (auto [inst, value] : replaced) {
    inst->replaceAllUsesWith(value);
    inst->eraseFromParent();
  }
}

} // namespace footrace::prove
