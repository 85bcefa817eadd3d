#include "facts/sync.h"

#include "facts/accesses.h"
#include "models/models.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/Support/AtomicOrdering.h"

using namespace llvm;

namespace footrace {
namespace {

constexpr Effects both = Effect::Acquire | Effect::Release;

Effects ordering_effects(AtomicOrdering order, bool reads, bool writes) {
  Effects effects;
  if (reads && isAcquireOrStronger(order)) effects |= Effect::Acquire;
  if (writes && isReleaseOrStronger(order)) effects |= Effect::Release;
  return effects;
}

// A fence or atomic of scope `singlethread` orders a thread against its own signal handlers only.
template <class Atomic> bool has_other_threads(const Atomic& atomic) {
  return atomic.getSyncScopeID() != SyncScope::SingleThread;
}

// Assembly that is only a hint, a barrier for the compiler, or a read of a counter.
bool has_known_assembly(const InlineAsm& assembly) {
  const StringRef text = assembly.getAsmString().trim(" \t\n;");
  return StringSwitch<bool>(text)
      .Cases({"", "nop", "pause", "rep nop", "rep; nop", "rep;nop"}, true)
      .Cases({"rdtsc", "rdtscp", "cpuid", "xgetbv"}, true)
      .Default(false);
}

// Assembly can be anything: a lock, a system call, a jump elsewhere. Only what neither touches memory nor has side effects
// is known to compute a value.
Effects assembly_effects(const CallBase& call) {
  const auto& assembly = *cast<InlineAsm>(call.getCalledOperand());
  const bool computes = !assembly.hasSideEffects() && !assembly.canThrow() && call.doesNotAccessMemory();
  return computes || has_known_assembly(assembly) ? Effects::none() : Effects::unknown();
}

// A coroutine that is not split yet: resuming and suspending run other code.
Effects coroutine_effects(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::coro_align:
  case Intrinsic::coro_alloc:
  case Intrinsic::coro_begin:
  case Intrinsic::coro_done:
  case Intrinsic::coro_frame:
  case Intrinsic::coro_free:
  case Intrinsic::coro_id:
  case Intrinsic::coro_noop:
  case Intrinsic::coro_promise:
  case Intrinsic::coro_save:
  case Intrinsic::coro_size:
  case Intrinsic::coro_subfn_addr:
    return Effects::none();
  default:
    return Effects::unknown();
  }
}

// LLVM's own attributes of the intrinsic say what it cannot do.
Effects intrinsic_effects_by_attributes(const IntrinsicInst& call) {
  Effects effects;
  if (!call.hasFnAttr(Attribute::NoSync) && !call.doesNotAccessMemory()) effects |= both;
  if (!call.doesNotThrow()) effects |= Effect::Throws;
  if (!call.hasFnAttr(Attribute::WillReturn)) effects |= Effect::NoReturn;
  if (!call.hasFnAttr(Attribute::NoFree) && !call.doesNotAccessMemory()) effects |= Effect::Frees;
  if (call.hasFnAttr(Attribute::ReturnsTwice)) effects |= Effect::ReturnsTwice;
  return effects;
}

Effects intrinsic_effects(const IntrinsicInst& call) {
  if (isa<AnyMemIntrinsic>(call) || isa<DbgInfoIntrinsic>(call)) return Effects::none();
  switch (call.getIntrinsicID()) {
  case Intrinsic::assume:
  case Intrinsic::clear_cache:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::fake_use:
  case Intrinsic::
      lifetime_end: // the bytes of a frame are one location of the thread, whatever variable they hold
  case Intrinsic::lifetime_start:
  case Intrinsic::prefetch:
  case Intrinsic::pseudoprobe:
  case Intrinsic::readcyclecounter:
  case Intrinsic::readsteadycounter:
  case Intrinsic::sideeffect:
  case Intrinsic::stackprotector:
  case Intrinsic::stackrestore:
  case Intrinsic::stacksave:
  case Intrinsic::vacopy:
  case Intrinsic::vaend:
  case Intrinsic::vastart:
  case Intrinsic::x86_rdtsc:
  case Intrinsic::x86_rdtscp:
  case Intrinsic::x86_sse2_pause:
    return Effects::none();
  case Intrinsic::eh_sjlj_longjmp:
  case Intrinsic::trap:
  case Intrinsic::debugtrap:
  case Intrinsic::ubsantrap:
    return Effect::NoReturn;
  case Intrinsic::eh_sjlj_setjmp:
    return both | Effect::ReturnsTwice; // anything may run before the second return
  default:
    break;
  }
  const StringRef name = Intrinsic::getBaseName(call.getIntrinsicID());
  if (name.starts_with("llvm.coro.")) return coroutine_effects(call.getIntrinsicID());
  if (name.starts_with("llvm.instrprof.")) return Effects::none();
  return intrinsic_effects_by_attributes(call);
}

// libatomic's entry points take the order as an argument; one that is not constant may be any.
std::optional<Effects> library_atomic_effects(const CallBase& call) {
  AccessList accesses;
  if (!collect_library_atomic(const_cast<CallBase&>(call), accesses)) return std::nullopt;
  Effects effects;
  for (const Access& access : accesses) {
    if (!has_atomicity(access.kind)) continue;
    const bool reads = access.kind != AccessKind::AtomicStore, writes = access.kind != AccessKind::AtomicLoad;
    for (const Value* order : {access.order, access.failure_order}) {
      if (order == nullptr) continue;
      const auto* known = dyn_cast<ConstantInt>(order);
      if (known == nullptr || !isValidAtomicOrderingCABI(known->getZExtValue())) return both;
      // The C ABI has consume, which is acquire in every compiler.
      const auto cabi = static_cast<AtomicOrderingCABI>(known->getZExtValue());
      const auto ordering = cabi == AtomicOrderingCABI::consume   ? AtomicOrdering::Acquire
                            : cabi == AtomicOrderingCABI::acquire ? AtomicOrdering::Acquire
                            : cabi == AtomicOrderingCABI::release ? AtomicOrdering::Release
                            : cabi == AtomicOrderingCABI::acq_rel ? AtomicOrdering::AcquireRelease
                            : cabi == AtomicOrderingCABI::seq_cst ? AtomicOrdering::SequentiallyConsistent
                                                                  : AtomicOrdering::Monotonic;
      effects |= ordering_effects(ordering, reads, writes);
    }
  }
  return effects;
}

// Leaves the function by unwinding; what a landing pad or a cleanup inside it catches is only a branch.
bool may_unwind_to_caller(const Instruction& inst) {
  if (isa<ResumeInst>(inst)) return true;
  if (const auto* cleanup = dyn_cast<CleanupReturnInst>(&inst)) return cleanup->unwindsToCaller();
  if (const auto* dispatch = dyn_cast<CatchSwitchInst>(&inst)) return dispatch->unwindsToCaller();
  return false;
}

} // namespace

Effects own_effects(const Instruction& inst) {
  if (const auto* load = dyn_cast<LoadInst>(&inst))
    return has_other_threads(*load) ? ordering_effects(load->getOrdering(), true, false) : Effects::none();
  if (const auto* store = dyn_cast<StoreInst>(&inst))
    return has_other_threads(*store) ? ordering_effects(store->getOrdering(), false, true) : Effects::none();
  if (const auto* rmw = dyn_cast<AtomicRMWInst>(&inst))
    return has_other_threads(*rmw) ? ordering_effects(rmw->getOrdering(), true, true) : Effects::none();
  if (const auto* cas = dyn_cast<AtomicCmpXchgInst>(&inst))
    return has_other_threads(*cas) ? ordering_effects(cas->getMergedOrdering(), true, true) : Effects::none();
  if (const auto* fence = dyn_cast<FenceInst>(&inst))
    return has_other_threads(*fence) ? ordering_effects(fence->getOrdering(), true, true) : Effects::none();
  if (const auto* call = dyn_cast<CallBase>(&inst)) return inherent_effects(*call).value_or(Effects::none());
  if (may_unwind_to_caller(inst)) return Effect::Throws;
  if (isa<UnreachableInst>(inst)) return Effect::NoReturn;
  return Effects::none();
}

std::optional<Effects> inherent_effects(const CallBase& call) {
  if (call.isInlineAsm()) return assembly_effects(call);
  if (const auto* intrinsic = dyn_cast<IntrinsicInst>(&call)) return intrinsic_effects(*intrinsic);
  const Function* callee = call.getCalledFunction();
  if (callee != nullptr && callee->getName().starts_with("__footrace_")) return Effects::none();
  return library_atomic_effects(call);
}

const Value* freed_object(const Instruction& inst) {
  const auto* call = dyn_cast<CallBase>(&inst);
  if (call == nullptr) return nullptr;
  const Function* callee = call->getCalledFunction();
  const Model* model = callee != nullptr ? find_model(callee->getName()) : nullptr;
  if (model == nullptr || !callee->isDeclaration()) return nullptr;
  const size_t freed = model->arguments.find(static_cast<char>(ArgumentUse::Freed));
  return freed < call->arg_size() ? call->getArgOperand(static_cast<unsigned>(freed)) : nullptr;
}

} // namespace footrace
