#include "facts/closed_globals.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace footrace {
namespace {

struct Derived {
  const Value* pointer;
  std::optional<APInt> offset; // from the variable, if it is known
};

class UseSearch {
public:
  UseSearch(const GlobalVariable& variable, function_ref<bool(const Instruction&)> has_checks, Places places)
      : layout_(variable.getDataLayout()), has_checks_(has_checks), places_(places),
        size_(layout_.getTypeAllocSize(variable.getValueType()).getFixedValue()) {}

  bool has_only_accesses(const GlobalVariable& variable) {
    SmallVector<Derived, 8> work{{&variable, APInt(layout_.getIndexTypeSizeInBits(variable.getType()), 0)}};
    while (!work.empty()) {
      const Derived derived = work.pop_back_val();
      for (const Use& use : derived.pointer->uses())
        if (!is_access(use, derived.offset) && !is_place(use, derived.offset, work)) return false;
    }
    return true;
  }

private:
  bool is_access(const Use& use, const std::optional<APInt>& offset) const {
    const auto* load = dyn_cast<LoadInst>(use.getUser());
    const auto* store = dyn_cast<StoreInst>(use.getUser());
    const bool simple =
        (load != nullptr && load->isSimple()) ||
        (store != nullptr && store->isSimple() && use.getOperandNo() == StoreInst::getPointerOperandIndex());
    if (!simple || !has_checks_(*cast<Instruction>(use.getUser()))) return false;
    if (!offset) return true;
    const TypeSize size = layout_.getTypeStoreSize(getLoadStoreType(use.getUser()));
    return !size.isScalable() && offset->isNonNegative() && offset->ule(size_) &&
           size.getFixedValue() <= size_ - offset->getZExtValue();
  }

  bool is_place(const Use& use, std::optional<APInt> offset, SmallVectorImpl<Derived>& work) const {
    const auto* place = dyn_cast<GEPOperator>(use.getUser());
    if (place == nullptr || use.getOperandNo() != GEPOperator::getPointerOperandIndex()) return false;
    if (!place->getType()->isPointerTy()) return false;
    if (offset && !place->accumulateConstantOffset(layout_, *offset)) offset.reset();
    if (!offset && places_ == Places::Known) return false;
    work.push_back({place, offset});
    return true;
  }

  const DataLayout& layout_;
  function_ref<bool(const Instruction&)> has_checks_;
  Places places_;
  uint64_t size_;
};

// A section has names for its begin and end, by which others get to what is in it.
bool may_be_known_elsewhere(const GlobalVariable& variable) {
  return !variable.hasLocalLinkage() || variable.hasSection() || variable.isExternallyInitialized();
}

} // namespace

std::optional<GlobalBytes> global_bytes(Value& address, int64_t offset, uint64_t size,
                                        const DataLayout& layout) {
  if (!address.getType()->isPointerTy()) return std::nullopt;
  APInt stripped(layout.getIndexTypeSizeInBits(address.getType()), 0);
  auto* variable =
      dyn_cast<GlobalVariable>(address.stripAndAccumulateConstantOffsets(layout, stripped, true));
  if (variable == nullptr) return std::nullopt;
  const auto begin = static_cast<uint64_t>(stripped.getSExtValue() + offset);
  return GlobalBytes{variable, begin, begin + size};
}

ClosedGlobals::ClosedGlobals(Module& module, function_ref<bool(const Instruction&)> has_checks, Places places)
    : layout_(module.getDataLayout()) {
  if (!module.getModuleInlineAsm().empty()) return; // it may name any of them
  for (const GlobalVariable& variable : module.globals()) {
    if (variable.isConstant() || variable.isThreadLocal() || may_be_known_elsewhere(variable)) continue;
    if (variable.getAddressSpace() != 0 || variable.use_empty()) continue;
    if (UseSearch(variable, has_checks, places).has_only_accesses(variable)) closed_.insert(&variable);
  }
}

std::optional<GlobalBytes> ClosedGlobals::bytes(Value& address, int64_t offset, uint64_t size) const {
  const std::optional<GlobalBytes> found = global_bytes(address, offset, size, layout_);
  return found && contains(*found->variable) ? found : std::nullopt;
}

} // namespace footrace
