#include "facts/escape.h"

#include "facts/proofs.h"
#include "models/models.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace footrace {
namespace {

bool has_read_only(AccessKind kind) { return kind == AccessKind::Read || kind == AccessKind::AtomicLoad; }

// Counters of profiling and coverage, and our own tables: racy by design or written by the compiler only.
bool has_compiler_origin(const GlobalVariable& variable) {
  const StringRef name = variable.getName();
  return name.starts_with("llvm.") || name.starts_with("__llvm_") || name.starts_with("__sancov_") ||
         name.starts_with("__footrace_") || variable.getSection().starts_with("__llvm_prf_");
}

// glibc's own variable for libraries, which code that counts references asks each time. Only glibc writes it, and orders that by itself.
bool has_library_origin(const GlobalVariable& variable) {
  return variable.isDeclaration() && variable.getName() == "__libc_single_threaded";
}

// A pointer that was read from an object's vtable field points to a vtable, which is constant. The read of
// the field itself can race and is not covered by this.
bool has_vtable_address(const Value& object) {
  const auto* load = dyn_cast<LoadInst>(&object);
  if (load == nullptr) return false;
  const MDNode* tag = load->getMetadata(LLVMContext::MD_tbaa);
  return tag != nullptr && tag->isTBAAVtableAccess();
}

// Looks for a use that may let another thread reach the memory. Provenance is what it needs; a compared address gives it nothing.
class CaptureSearch : public CaptureTracker {
public:
  bool found = false;

  void tooManyUses() override { found = true; }

  Action captured(const Use* use, UseCaptureInfo info) override {
    if (capturesNothing(info.UseCC & CaptureComponents::Provenance)) return Continue;
    if (has_known_callee_that_keeps_nothing(*use)) return ContinueIgnoringReturn;
    found = true;
    return Stop;
  }

private:
  // A library function of models/ that only looks at its argument, or one of our checks. What returns a pointer may return
  // the argument.
  static bool has_known_callee_that_keeps_nothing(const Use& use) {
    const auto* call = dyn_cast<CallBase>(use.getUser());
    const Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
    if (callee == nullptr || !callee->isDeclaration() || !call->isArgOperand(&use)) return false;
    if (callee->getName().starts_with("__footrace_")) return true;
    const Model* model = find_model(callee->getName());
    if (model == nullptr || call->getType()->isPtrOrPtrVectorTy()) return false;
    switch (model->argument(call->getArgOperandNo(&use))) {
    case ArgumentUse::Value:
    case ArgumentUse::Read:
    case ArgumentUse::Written:
    case ArgumentUse::Both:
    case ArgumentUse::Freed:
      return true;
    case ArgumentUse::Called:
    case ArgumentUse::Kept:
    case ArgumentUse::Unknown:
      return false;
    }
    llvm_unreachable("a use that models.h does not have");
  }
};

// The answer is kept per object, so it may look at more uses than LLVM does by default.
constexpr unsigned most_uses = 1000;

bool may_be_captured(const Value& pointer) {
  CaptureSearch search;
  PointerMayBeCaptured(&pointer, &search, most_uses);
  return search.found;
}

} // namespace

std::optional<Reason> RaceFreedom::reason(const Access& access) {
  if (access.unmodelled) return access.unmodelled;
  if (access.address == nullptr) return std::nullopt;
  if (access.address->getType()->getPointerAddressSpace() != 0) return Reason::OtherAddressSpace;
  if (access.address->isSwiftError()) return Reason::SwiftError;
  if (!has_atomicity(access.kind) && has_race_free_mark(*access.inst, access.kind == AccessKind::Write))
    return Reason::ProvedRaceFree;
  if (options_.constant && has_read_only(access.kind) &&
      access.inst->hasMetadata(LLVMContext::MD_invariant_load))
    return Reason::ConstantMemory;

  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(access.address, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  std::optional<Reason> first;
  for (const Value* object : objects) {
    // An access through null or undefined is not a behaviour of the program.
    if (isa<UndefValue>(object)) continue;
    if (isa<ConstantPointerNull>(object) && !NullPointerIsDefined(access.inst->getFunction())) continue;
    const std::optional<Reason> found = object_reason(*object, access);
    if (!found) return std::nullopt;
    if (!first) first = found;
  }
  return first;
}

std::optional<Reason> RaceFreedom::object_reason(const Value& object, const Access& access) {
  if (isa<AllocaInst>(object) || (isa<Argument>(object) && cast<Argument>(object).hasByValAttr())) {
    if (options_.nonescaping_alloca && !may_escape(object)) return Reason::NonEscapingAlloca;
    return std::nullopt;
  }
  if (isNoAliasCall(&object)) {
    if (options_.nonescaping_heap && !may_escape(object)) return Reason::NonEscapingHeap;
    return std::nullopt;
  }
  if (const auto* variable = dyn_cast<GlobalVariable>(&object)) {
    if (options_.internal_global && (has_compiler_origin(*variable) || has_library_origin(*variable)))
      return Reason::InternalGlobal;
    if (options_.constant && variable->isConstant() && has_read_only(access.kind))
      return Reason::ConstantMemory;
    if (options_.thread_local_storage && variable->isThreadLocal() && !may_leave_thread(*variable))
      return Reason::PrivateThreadLocal;
    return std::nullopt;
  }
  if (options_.constant && isa<Function>(object) && has_read_only(access.kind)) return Reason::ConstantMemory;
  if (options_.vtable && has_read_only(access.kind) && has_vtable_address(object)) return Reason::VtableSlot;
  return std::nullopt;
}

bool RaceFreedom::may_escape(const Value& local) {
  auto [entry, inserted] = escapes_.try_emplace(&local, true);
  if (!inserted) return entry->second;
  const Function* function =
      isa<Argument>(local) ? cast<Argument>(local).getParent() : cast<Instruction>(local).getFunction();
  // Before it is split, a coroutine's allocas are variables of its heap frame.
  entry->second = function->isPresplitCoroutine() || may_be_captured(local);
  return entry->second;
}

bool RaceFreedom::may_leave_thread(const GlobalVariable& variable) {
  auto [entry, inserted] = leaves_thread_.try_emplace(&variable, true);
  if (!inserted) return entry->second;
  if (!variable.hasLocalLinkage()) return true;
  for (const Use& use : variable.uses()) {
    const auto* user = dyn_cast<Instruction>(use.getUser());
    if (user == nullptr || user->getFunction()->isPresplitCoroutine()) return true;
    if (const auto* load = dyn_cast<LoadInst>(user); load != nullptr && !load->isVolatile()) continue;
    if (const auto* store = dyn_cast<StoreInst>(user);
        store != nullptr && use.getOperandNo() == StoreInst::getPointerOperandIndex() && !store->isVolatile())
      continue;
    const auto* address = dyn_cast<IntrinsicInst>(user);
    if (address == nullptr || address->getIntrinsicID() != Intrinsic::threadlocal_address ||
        may_be_captured(*address))
      return true;
  }
  entry->second = false;
  return false;
}

} // namespace footrace
