#include "prove/member_pointers.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace footrace::prove {
namespace {

constexpr unsigned function_part = 0, adjustment_part = 1;

bool is_member_pointer(const llvm::Type* type) {
  const auto* record = llvm::dyn_cast<llvm::StructType>(type);
  return record && record->isLiteral() && record->getNumElements() == 2 &&
         record->getElementType(0)->isIntegerTy(64) && record->getElementType(1)->isIntegerTy(64);
}

// All that can be in a pointer to a member function, wherever it is made: constants, and conversions to classes whose
// base lies elsewhere. A constant that only looks like one does no harm.
class MemberPointers {
public:
  explicit MemberPointers(const llvm::Module& module) {
    for (const llvm::GlobalVariable& variable : module.globals())
      if (variable.hasInitializer()) examine(*variable.getInitializer());
    for (const llvm::Function& function : module)
      for (const llvm::Instruction& inst : llvm::instructions(function)) examine(inst);
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

  // What was a pointer's part before, or is a constant, tells nothing new.
  void examine_part(const llvm::Value& value, unsigned part) {
    const auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(&value);
    bool is_kept = extract && is_member_pointer(extract->getAggregateOperand()->getType()) &&
                   extract->getIndices().front() == part;
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(&value))
      examine_constant_part(*constant, part);
    else if (!is_kept)
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
  bool may_adjust_ = false, may_be_virtual_ = false;
};

llvm::ExtractValueInst* part_of_member_pointer(llvm::Value* value, unsigned part) {
  auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(value);
  bool is_part = extract && is_member_pointer(extract->getAggregateOperand()->getType()) &&
                 extract->getIndices().front() == part;
  return is_part ? extract : nullptr;
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
