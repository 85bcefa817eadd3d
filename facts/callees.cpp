#include "facts/callees.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace footrace {
namespace {

// Follows a function pointer back to the functions that it may be.
class Resolver {
public:
  // False: it may be something that is not in `found`.
  bool resolve(const Value& pointer) {
    if (!seen_.insert(&pointer).second) return true;
    if (seen_.size() > most_values) return false;
    const Value* value = pointer.stripPointerCasts();
    if (const auto* function = dyn_cast<Function>(value)) {
      found.insert(function);
      return true;
    }
    if (const auto* alias = dyn_cast<GlobalAlias>(value))
      return !alias->isInterposable() && resolve(*alias->getAliasee());
    if (isa<ConstantPointerNull>(value) || isa<UndefValue>(value)) return true; // calling it means nothing
    if (const auto* select = dyn_cast<SelectInst>(value))
      return resolve(*select->getTrueValue()) && resolve(*select->getFalseValue());
    if (const auto* phi = dyn_cast<PHINode>(value))
      return all_of(phi->incoming_values(), [&](const Use& use) { return resolve(*use); });
    if (const auto* freeze = dyn_cast<FreezeInst>(value)) return resolve(*freeze->getOperand(0));
    if (const auto* load = dyn_cast<LoadInst>(value)) return resolve_load(*load);
    if (const auto* argument = dyn_cast<Argument>(value)) return resolve_argument(*argument);
    return false;
  }

  SmallSetVector<const Function*, 4> found;

private:
  static constexpr unsigned most_values = 256;

  bool resolve_load(const LoadInst& load) {
    const auto* variable = dyn_cast<GlobalVariable>(getUnderlyingObject(load.getPointerOperand()));
    if (variable == nullptr || !variable->hasInitializer() || !load.getType()->isPointerTy()) return false;
    if (variable->isConstant() && variable->hasDefinitiveInitializer())
      return resolve_initializer(*variable->getInitializer());
    if (!variable->hasLocalLinkage() || variable->isExternallyInitialized()) return false;
    return resolve_initializer(*variable->getInitializer()) && resolve_stores(*variable);
  }

  // Any pointer of the table may be the one. Those to data cannot be called.
  bool resolve_initializer(const Constant& initializer) {
    if (isa<ConstantAggregate>(initializer))
      return all_of(initializer.operands(),
                    [&](const Use& use) { return resolve_initializer(*cast<Constant>(use)); });
    if (!initializer.getType()->isPointerTy()) return isa<ConstantData>(initializer);
    const Value* value = initializer.stripPointerCasts();
    if (isa<GlobalVariable>(getUnderlyingObject(value))) return true;
    return resolve(*value);
  }

  bool resolve_stores(const Value& address) {
    return all_of(address.users(), [&](const User* user) {
      if (const auto* load = dyn_cast<LoadInst>(user)) return !load->isVolatile();
      if (const auto* store = dyn_cast<StoreInst>(user))
        return store->getPointerOperand() == &address && resolve_stored(*store->getValueOperand());
      if (isa<GEPOperator>(user)) return seen_.insert(user).second ? resolve_stores(*user) : true;
      return false;
    });
  }

  // What is narrower than a pointer cannot be read back as one.
  bool resolve_stored(const Value& value) {
    if (value.getType()->isPointerTy()) return resolve(value);
    return isa<ConstantData>(value) ||
           (value.getType()->isIntegerTy() && value.getType()->getIntegerBitWidth() < 64);
  }

  bool resolve_argument(const Argument& argument) {
    const Function& function = *argument.getParent();
    if (!function.hasLocalLinkage() || function.isVarArg()) return false;
    return all_of(function.uses(), [&](const Use& use) {
      const auto* call = dyn_cast<CallBase>(use.getUser());
      return call != nullptr && call->isCallee(&use) && call->arg_size() == function.arg_size() &&
             resolve(*call->getArgOperand(argument.getArgNo()));
    });
  }

  SmallPtrSet<const Value*, 16> seen_;
};

std::optional<CalleeList> listed_in_metadata(const CallBase& call) {
  const MDNode* list = call.getMetadata(LLVMContext::MD_callees);
  if (list == nullptr) return std::nullopt;
  CalleeList callees;
  for (const MDOperand& operand : list->operands()) {
    const auto* function = mdconst::dyn_extract_or_null<Function>(operand);
    if (function == nullptr) return std::nullopt;
    callees.push_back(function);
  }
  return callees;
}

// The pointer comes from an object's vtable, and a library may have made the object.
bool has_vtable_origin(const CallBase& call) {
  const auto* slot = dyn_cast<LoadInst>(call.getCalledOperand()->stripPointerCasts());
  if (slot == nullptr) return false;
  const auto* vtable = dyn_cast<LoadInst>(getUnderlyingObject(slot->getPointerOperand()));
  if (vtable == nullptr) return false;
  const MDNode* tag = vtable->getMetadata(LLVMContext::MD_tbaa);
  return tag == nullptr || tag->isTBAAVtableAccess();
}

} // namespace

Callees::Callees(const Module& module, World world)
    : world_(world), may_get_foreign_functions_(module.getFunction("dlsym") != nullptr ||
                                                module.getFunction("dlvsym") != nullptr) {
  for (const Function& function : module)
    if (!function.isIntrinsic() && function.hasAddressTaken())
      address_taken_[function.getFunctionType()].push_back(&function);
}

std::optional<CalleeList> Callees::functions(const Value& pointer) const {
  Resolver resolver;
  if (!resolver.resolve(pointer)) return std::nullopt;
  return CalleeList(resolver.found.begin(), resolver.found.end());
}

std::optional<CalleeList> Callees::of(const CallBase& call) const {
  if (call.isInlineAsm()) return std::nullopt;
  if (std::optional<CalleeList> known = functions(*call.getCalledOperand())) return known;
  if (std::optional<CalleeList> listed = listed_in_metadata(call)) return listed;
  return of_type(call);
}

std::optional<CalleeList> Callees::of_type(const CallBase& call) const {
  if (world_ != World::WholeProgram || may_get_foreign_functions_ || has_vtable_origin(call))
    return std::nullopt;
  // Without a prototype the type says nothing.
  if (call.getFunctionType()->isVarArg() && call.getFunctionType()->getNumParams() == 0) return std::nullopt;
  const auto found = address_taken_.find(call.getFunctionType());
  if (found == address_taken_.end()) return std::nullopt;
  return found->second;
}

} // namespace footrace
