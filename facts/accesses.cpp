#include "facts/accesses.h"

#include "llvm/ADT/APInt.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/AtomicOrdering.h"

using namespace llvm;

namespace footrace {

const char* name_of(Reason reason) {
  static constexpr const char* names[] = {
#define FR_REASON(id, name) name,
#include "facts/reasons.def"
  };
  return names[static_cast<unsigned>(reason)];
}

const char* name_of(AccessKind kind) {
  static constexpr const char* names[access_kind_count] = {
      "read", "write", "atomic-load", "atomic-store", "atomic-rmw", "atomic-cas", "fence"};
  return names[static_cast<unsigned>(kind)];
}

namespace {

struct Run {
  uint64_t offset, size;
};

// The bytes of a value of this type in memory, without the padding that a first-class struct does not
// transfer.
void add_runs(Type* type, const DataLayout& layout, uint64_t offset, SmallVectorImpl<Run>& runs) {
  if (auto* structure = dyn_cast<StructType>(type)) {
    const StructLayout* fields = layout.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      add_runs(structure->getElementType(i), layout, offset + fields->getElementOffset(i), runs);
    return;
  }
  if (auto* array = dyn_cast<ArrayType>(type)) {
    const uint64_t stride = layout.getTypeAllocSize(array->getElementType());
    if (stride == layout.getTypeStoreSize(array->getElementType()) &&
        !array->getElementType()->isAggregateType()) {
      if (array->getNumElements() != 0) runs.push_back({offset, stride * array->getNumElements()});
      return;
    }
    for (uint64_t i = 0; i < array->getNumElements(); ++i)
      add_runs(array->getElementType(), layout, offset + i * stride, runs);
    return;
  }
  const uint64_t size = layout.getTypeStoreSize(type);
  if (size == 0) return;
  if (!runs.empty() && runs.back().offset + runs.back().size == offset)
    runs.back().size += size;
  else
    runs.push_back({offset, size});
}

// Lanes of a vector that is loaded which the program asked for. The vectorisers join reads of some elements into one of the whole row and pick those elements
// by shuffles: lanes that nothing picks are no accesses of the program. All lanes if any use is of another kind.
APInt picked_lanes(const Value& vector, unsigned count, unsigned depth = 0) {
  constexpr unsigned kMostShuffles = 4;
  const APInt all = APInt::getAllOnes(count);
  APInt picked(count, 0);
  if (depth > kMostShuffles) return all;
  for (const User* user : vector.users()) {
    if (const auto* extract = dyn_cast<ExtractElementInst>(user)) {
      const auto* index = dyn_cast<ConstantInt>(extract->getIndexOperand());
      if (index == nullptr || index->getValue().uge(count)) return all;
      picked.setBit(static_cast<unsigned>(index->getZExtValue()));
    } else if (const auto* shuffle = dyn_cast<ShuffleVectorInst>(user)) {
      const ArrayRef<int> mask = shuffle->getShuffleMask();
      const APInt used = picked_lanes(*shuffle, static_cast<unsigned>(mask.size()), depth + 1);
      for (unsigned i = 0; i < mask.size(); ++i) {
        if (mask[i] < 0 || !used[i]) continue;
        const unsigned lane = static_cast<unsigned>(mask[i]);
        if (shuffle->getOperand(lane < count ? 0 : 1) == &vector) picked.setBit(lane % count);
      }
    } else {
      return all;
    }
  }
  return picked;
}

class Collector {
public:
  explicit Collector(Function& function) : layout_(function.getParent()->getDataLayout()) {}

  void visit(Instruction& inst) {
    if (auto* load = dyn_cast<LoadInst>(&inst)) {
      if (may_synchronise(load->isAtomic(), load->getSyncScopeID()))
        add_atomic(inst, AccessKind::AtomicLoad, load->getPointerOperand(), load->getType(),
                   load->getOrdering());
      else
        add_load(*load);
    } else if (auto* store = dyn_cast<StoreInst>(&inst)) {
      Type* type = store->getValueOperand()->getType();
      if (may_synchronise(store->isAtomic(), store->getSyncScopeID()))
        add_atomic(inst, AccessKind::AtomicStore, store->getPointerOperand(), type, store->getOrdering());
      else
        add_value(inst, AccessKind::Write, store->getPointerOperand(), type);
    } else if (auto* rmw = dyn_cast<AtomicRMWInst>(&inst)) {
      Type* type = rmw->getValOperand()->getType();
      if (may_synchronise(true, rmw->getSyncScopeID()))
        add_atomic(inst, AccessKind::AtomicRmw, rmw->getPointerOperand(), type, rmw->getOrdering());
      else
        add_value(inst, AccessKind::Write, rmw->getPointerOperand(), type);
    } else if (auto* cas = dyn_cast<AtomicCmpXchgInst>(&inst)) {
      Type* type = cas->getNewValOperand()->getType();
      if (may_synchronise(true, cas->getSyncScopeID()))
        add_atomic(inst, AccessKind::AtomicCas, cas->getPointerOperand(), type, cas->getSuccessOrdering(),
                   cas->getFailureOrdering());
      else
        add_value(inst, AccessKind::Write, cas->getPointerOperand(), type);
    } else if (auto* fence = dyn_cast<FenceInst>(&inst)) {
      if (may_synchronise(true, fence->getSyncScopeID()))
        out.push_back(
            {.inst = &inst, .kind = AccessKind::Fence, .order = order_value(inst, fence->getOrdering())});
    } else if (auto* call = dyn_cast<CallBase>(&inst)) {
      visit_call(*call);
    }
  }

  AccessList out;

private:
  // Single-thread atomics order a thread against its own signal handlers only; towards other threads they are
  // plain.
  static bool may_synchronise(bool atomic, SyncScope::ID scope) {
    return atomic && scope != SyncScope::SingleThread;
  }

  static Value* order_value(Instruction& inst, AtomicOrdering ordering) {
    return ConstantInt::get(Type::getInt32Ty(inst.getContext()), static_cast<uint64_t>(toCABI(ordering)));
  }

  void add_unmodelled(Instruction& inst, AccessKind kind, Value* address, Reason reason) {
    out.push_back({.inst = &inst, .kind = kind, .unmodelled = reason, .address = address});
  }

  void add_load(LoadInst& load) {
    const auto* vector = dyn_cast<FixedVectorType>(load.getType());
    const uint64_t size = vector == nullptr ? 0 : layout_.getTypeStoreSize(vector->getElementType());
    // Elements that are no whole bytes are packed.
    if (vector == nullptr || load.isVolatile() ||
        layout_.getTypeSizeInBits(vector->getElementType()) != 8 * size)
      return add_value(load, AccessKind::Read, load.getPointerOperand(), load.getType());
    const unsigned count = vector->getNumElements();
    const APInt picked = picked_lanes(load, count);
    if (picked.isAllOnes() || picked.isZero())
      return add_value(load, AccessKind::Read, load.getPointerOperand(), load.getType());
    for (unsigned lane = 0, end; lane < count; lane = end) {
      end = lane + 1;
      if (!picked[lane]) continue;
      while (end < count && picked[end]) ++end;
      out.push_back({.inst = &load,
                     .kind = AccessKind::Read,
                     .address = load.getPointerOperand(),
                     .offset = lane * size,
                     .size = (end - lane) * size});
    }
  }

  void add_value(Instruction& inst, AccessKind kind, Value* address, Type* type) {
    if (type->isScalableTy()) return add_unmodelled(inst, kind, address, Reason::ScalableVector);
    SmallVector<Run, 4> runs;
    add_runs(type, layout_, 0, runs);
    for (const Run& run : runs)
      out.push_back(
          {.inst = &inst, .kind = kind, .address = address, .offset = run.offset, .size = run.size});
  }

  void add_atomic(Instruction& inst, AccessKind kind, Value* address, Type* type, AtomicOrdering order,
                  AtomicOrdering failure = AtomicOrdering::NotAtomic) {
    out.push_back({.inst = &inst,
                   .kind = kind,
                   .address = address,
                   .size = layout_.getTypeStoreSize(type).getFixedValue(),
                   .order = order_value(inst, order),
                   .failure_order = order_value(inst, failure)});
  }

  void add_length(Instruction& inst, AccessKind kind, Value* address, Value* length) {
    if (auto* bytes = dyn_cast<ConstantInt>(length)) {
      if (!bytes->isZero())
        out.push_back({.inst = &inst, .kind = kind, .address = address, .size = bytes->getZExtValue()});
    } else {
      out.push_back(
          {.inst = &inst, .kind = kind, .extent = Extent::RunTime, .address = address, .length = length});
    }
  }

  void visit_call(CallBase& call) {
    if (auto* intrinsic = dyn_cast<IntrinsicInst>(&call)) return visit_intrinsic(*intrinsic);
    if (call.isInlineAsm()) return visit_assembly(call);
    // The caller copies byval memory into the outgoing arguments; the callee then owns the copy.
    for (unsigned i = 0; i < call.arg_size(); ++i)
      if (Type* type = call.getParamByValType(i))
        out.push_back({.inst = &call,
                       .kind = AccessKind::Read,
                       .address = call.getArgOperand(i),
                       .size = layout_.getTypeAllocSize(type).getFixedValue()});
    collect_library_atomic(call, out);
  }

  // Memory operands of assembly are what locks and atomics are made of: a plain check of them would be a
  // guess.
  void visit_assembly(CallBase& call) {
    for (unsigned i = 0; i < call.arg_size(); ++i)
      if (call.getParamElementType(i) != nullptr)
        add_unmodelled(call, AccessKind::Write, call.getArgOperand(i), Reason::InlineAssembly);
  }

  void visit_intrinsic(IntrinsicInst& call) {
    if (auto* transfer = dyn_cast<MemTransferInst>(&call)) {
      add_length(call, AccessKind::Read, transfer->getRawSource(), transfer->getLength());
      add_length(call, AccessKind::Write, transfer->getRawDest(), transfer->getLength());
      return;
    }
    if (auto* set = dyn_cast<MemSetInst>(&call))
      return add_length(call, AccessKind::Write, set->getRawDest(), set->getLength());
    if (has_no_access(call.getIntrinsicID()) || !call.mayReadOrWriteMemory()) return;
    if (collect_lane_intrinsic(call, layout_, out) || collect_x86_intrinsic(call, layout_, out)) return;
    for (unsigned i = 0; i < call.arg_size(); ++i)
      if (call.getArgOperand(i)->getType()->isPtrOrPtrVectorTy() && !call.doesNotAccessMemory(i))
        add_unmodelled(call, call.onlyReadsMemory() ? AccessKind::Read : AccessKind::Write,
                       call.getArgOperand(i), Reason::UnknownIntrinsic);
  }

  // Intrinsics with memory effects that only order code, describe memory, or touch the thread's own stack.
  static bool has_no_access(Intrinsic::ID id) {
    switch (id) {
    case Intrinsic::assume:
    case Intrinsic::clear_cache:
    case Intrinsic::donothing:
    case Intrinsic::eh_sjlj_longjmp:
    case Intrinsic::eh_sjlj_setjmp:
    case Intrinsic::experimental_noalias_scope_decl:
    case Intrinsic::fake_use:
    case Intrinsic::frameaddress:
    case Intrinsic::invariant_end:
    case Intrinsic::invariant_start:
    case Intrinsic::launder_invariant_group:
    case Intrinsic::lifetime_end:
    case Intrinsic::lifetime_start:
    case Intrinsic::load_relative: // relative vtables and lookup tables: constant by construction
    case Intrinsic::localescape:
    case Intrinsic::prefetch:
    case Intrinsic::pseudoprobe:
    case Intrinsic::ptr_annotation:
    case Intrinsic::sideeffect:
    case Intrinsic::stackprotector:
    case Intrinsic::stackrestore:
    case Intrinsic::stacksave:
    case Intrinsic::strip_invariant_group:
    case Intrinsic::type_checked_load:
    case Intrinsic::type_checked_load_relative:
    case Intrinsic::vacopy:
    case Intrinsic::vaend:
    case Intrinsic::var_annotation:
    case Intrinsic::vastart:
      return true;
    default: {
      const StringRef name = Intrinsic::getBaseName(id);
      return name.starts_with("llvm.coro.") || name.starts_with("llvm.instrprof.") ||
             name.starts_with("llvm.dbg.") || name == "llvm.x86.clflushopt" || name == "llvm.x86.clwb" ||
             name == "llvm.x86.sse2.clflush" || name == "llvm.x86.cldemote" || name == "llvm.x86.prefetchrs";
    }
    }
  }

  const DataLayout& layout_;
};

} // namespace

AccessList collect_accesses(Function& function) {
  Collector collector(function);
  for (Instruction& inst : instructions(function)) collector.visit(inst);
  return std::move(collector.out);
}

} // namespace footrace
