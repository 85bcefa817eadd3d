#include "facts/virtual_callees.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/TypeMetadataUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

#include <optional>

using namespace llvm;

namespace footrace {
namespace {

// A vtable of a type, and where its address point is.
struct AddressPoint {
  GlobalVariable* vtable;
  uint64_t offset;
};
using FunctionList = SmallSetVector<Function*, 4>;

class Hierarchies {
public:
  Hierarchies(Module& module, VtableUsers users) : module_(module), users_(users) {
    for (GlobalVariable& variable : module.globals()) {
      SmallVector<MDNode*, 2> types;
      variable.getMetadata(LLVMContext::MD_type, types);
      for (const MDNode* type : types)
        vtables_[type->getOperand(1).get()].push_back(
            {&variable, mdconst::extract<ConstantInt>(type->getOperand(0))->getZExtValue()});
    }
  }

  // What a virtual call through the slot at `offset` of an object of the type may run; nothing if others are possible.
  std::optional<FunctionList> functions(const Metadata* type, uint64_t offset) const {
    const auto found = vtables_.find(type);
    if (found == vtables_.end()) return std::nullopt;
    FunctionList functions;
    for (const AddressPoint& point : found->second) {
      if (!has_closed_users(*point.vtable)) return std::nullopt;
      Function* function = getFunctionAtVTableOffset(point.vtable, point.offset + offset, module_).first;
      if (function == nullptr) return std::nullopt;
      functions.insert(function);
    }
    return functions;
  }

private:
  bool has_closed_users(const GlobalVariable& vtable) const {
    if (!vtable.isConstant() || !vtable.hasInitializer() || vtable.isInterposable()) return false;
    const GlobalObject::VCallVisibility visibility = vtable.getVCallVisibility();
    return visibility == GlobalObject::VCallVisibilityTranslationUnit ||
           (visibility == GlobalObject::VCallVisibilityLinkageUnit && users_ == VtableUsers::LinkageUnit);
  }

  Module& module_;
  VtableUsers users_;
  DenseMap<const Metadata*, SmallVector<AddressPoint, 2>> vtables_;
};

} // namespace

unsigned annotate_virtual_callees(Module& module, VtableUsers users,
                                  function_ref<DominatorTree&(Function&)> dominators) {
  const Function* type_test = Intrinsic::getDeclarationIfExists(&module, Intrinsic::type_test);
  if (type_test == nullptr) return 0;
  const Hierarchies hierarchies(module, users);
  MDBuilder metadata(module.getContext());
  unsigned annotated = 0;
  for (const User* user : type_test->users()) {
    const auto* test = dyn_cast<CallInst>(user);
    if (test == nullptr) continue;
    const Metadata* type = cast<MetadataAsValue>(test->getArgOperand(1))->getMetadata();
    SmallVector<DevirtCallSite, 1> calls; // through the tested vtable, with the offsets of their slots
    SmallVector<CallInst*, 1> assumptions;
    findDevirtualizableCallsForTypeTest(calls, assumptions, test,
                                        dominators(*const_cast<Function*>(test->getFunction())));
    for (const DevirtCallSite& site : calls) {
      const std::optional<FunctionList> functions = hierarchies.functions(type, site.Offset);
      if (!functions) continue;
      site.CB.setMetadata(LLVMContext::MD_callees, metadata.createCallees(functions->getArrayRef()));
      ++annotated;
    }
  }
  return annotated;
}

} // namespace footrace
