#include "instrument/emit.h"

#include "abi/shadow_layout.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

#include <algorithm>
#include <numeric>

using namespace llvm;

namespace footrace {
namespace {

// Up to here LLVM expands constant-size memory intrinsics in place on x86-64.
constexpr uint64_t inline_limit = 128;
constexpr unsigned lanes_per_call = 64; // bits of the mask argument

SiteKind site_kind(AccessKind kind) {
  switch (kind) {
  case AccessKind::Read:
    return SiteKind::Read;
  case AccessKind::Write:
    return SiteKind::Write;
  case AccessKind::AtomicLoad:
    return SiteKind::AtomicLoad;
  case AccessKind::AtomicStore:
    return SiteKind::AtomicStore;
  case AccessKind::AtomicRmw:
    return SiteKind::AtomicRmw;
  case AccessKind::AtomicCas:
    return SiteKind::AtomicCas;
  case AccessKind::Fence:
    break;
  }
  llvm_unreachable("a fence has no site");
}

std::optional<Callback> sized_callback(AccessKind kind, uint64_t size) {
  const bool read = kind == AccessKind::Read;
  switch (size) {
  case 1:
    return read ? Callback::__footrace_read1 : Callback::__footrace_write1;
  case 2:
    return read ? Callback::__footrace_read2 : Callback::__footrace_write2;
  case 4:
    return read ? Callback::__footrace_read4 : Callback::__footrace_write4;
  case 8:
    return read ? Callback::__footrace_read8 : Callback::__footrace_write8;
  case 16:
    return read ? Callback::__footrace_read16 : Callback::__footrace_write16;
  default:
    return std::nullopt;
  }
}

SmallVector<int, 64> consecutive(unsigned first, unsigned count) {
  SmallVector<int, 64> lanes(count);
  std::iota(lanes.begin(), lanes.end(), static_cast<int>(first));
  return lanes;
}

Value* first_lanes(IRBuilderBase& at, Value* vector, unsigned first, unsigned count) {
  if (cast<FixedVectorType>(vector->getType())->getNumElements() == count) return vector;
  return at.CreateShuffleVector(vector, consecutive(first, count));
}

Constant* lane_numbers(IntegerType* element, unsigned count) {
  SmallVector<Constant*, 64> numbers;
  for (unsigned i = 0; i < count; ++i) numbers.push_back(ConstantInt::get(element, i));
  return ConstantVector::get(numbers);
}

} // namespace

void make_library_atomics_fall_through(Function& function) {
  SmallVector<InvokeInst*, 4> invokes;
  for (BasicBlock& block : function) {
    auto* invoke = dyn_cast<InvokeInst>(block.getTerminator());
    AccessList unused;
    if (invoke != nullptr && collect_library_atomic(*invoke, unused)) invokes.push_back(invoke);
  }
  for (InvokeInst* invoke : invokes) changeToCall(invoke);
}

// Code that is not to be optimised keeps plain calls.
Emitter::Emitter(Function& function, Callbacks& callbacks, SiteTable& sites, const PassOptions& options)
    : function_(function), callbacks_(callbacks), sites_(sites),
      replace_memory_intrinsics_(options.memory_intrinsics),
      inline_checks_(options.inline_checks && !function.hasOptNone()) {}

bool Emitter::emit(const Plan& plan) {
  bool changed = false;
  Group rest(plan.accesses);
  while (!rest.empty()) {
    const Instruction* inst = rest.front().access.inst;
    const Group group = rest.take_while([&](const PlannedAccess& p) { return p.access.inst == inst; });
    rest = rest.drop_front(group.size());
    changed |= emit_group(group);
  }
  return changed;
}

bool Emitter::emit_group(Group group) {
  if (std::all_of(group.begin(), group.end(), [](const PlannedAccess& p) { return p.left_out.has_value(); }))
    return false;
  if (replace_memory_intrinsic(group)) return true;
  Instruction* inst = group.front().access.inst;
  current_ = inst;

  Instruction* next = inst->getNextNode();
  // Plain checks first: nothing may stand between the begin and the end of an atomic but its instruction.
  IRBuilder<> before(inst);
  for (const PlannedAccess& p : group)
    if (!p.left_out && !has_atomicity(p.access.kind) && p.access.condition == Condition::Always)
      emit_plain(before, p.access);
  for (const PlannedAccess& p : group) {
    if (p.left_out || !has_atomicity(p.access.kind)) continue;
    if (p.access.kind == AccessKind::Fence)
      callbacks_.call(before, Callback::__footrace_fence, {p.access.order});
    else
      emit_atomic(*inst, p.access);
  }
  for (const PlannedAccess& p : group) {
    if (p.left_out || p.access.condition != Condition::CasFailed) continue;
    IRBuilder<> after(next);
    after.SetCurrentDebugLocation(inst->getDebugLoc());
    emit_plain(after, p.access, after.CreateNot(cas_success(after, *inst)));
  }
  return true;
}

bool Emitter::replace_memory_intrinsic(Group group) {
  auto* intrinsic = dyn_cast<MemIntrinsic>(group.front().access.inst);
  if (intrinsic == nullptr || !replace_memory_intrinsics_ || intrinsic->isVolatile()) return false;
  const Intrinsic::ID id = intrinsic->getIntrinsicID();
  if (id == Intrinsic::memcpy_inline || id == Intrinsic::memset_inline) return false;
  const auto* bytes = dyn_cast<ConstantInt>(intrinsic->getLength());
  if (bytes != nullptr && bytes->getZExtValue() <= inline_limit) return false;
  if (std::any_of(group.begin(), group.end(), [](const PlannedAccess& p) { return p.left_out.has_value(); }))
    return false;

  current_ = intrinsic;
  IRBuilder<> at(intrinsic);
  Value* length = at.CreateZExtOrTrunc(intrinsic->getLength(), at.getInt64Ty());
  Constant* record = site(group.back().access, bytes != nullptr ? bytes->getZExtValue() : 0);
  if (auto* transfer = dyn_cast<MemTransferInst>(intrinsic)) {
    const Callback callback =
        isa<MemMoveInst>(transfer) ? Callback::__footrace_memmove : Callback::__footrace_memcpy;
    callbacks_.call(at, callback, {transfer->getRawDest(), transfer->getRawSource(), length, record});
  } else {
    Value* fill = at.CreateZExt(cast<MemSetInst>(intrinsic)->getValue(), at.getInt32Ty());
    callbacks_.call(at, Callback::__footrace_memset, {intrinsic->getRawDest(), fill, length, record});
  }
  intrinsic->eraseFromParent();
  return true;
}

Constant* Emitter::site(const Access& access, uint64_t size) {
  return sites_.site(*current_, site_kind(access.kind), size);
}

void Emitter::emit_plain(IRBuilderBase& at, const Access& access, Value* enabled) {
  if (enabled != nullptr) {
    // One lane that is there or not: no branch, so the block stays whole.
    Value* length = access.length != nullptr ? at.CreateZExtOrTrunc(access.length, at.getInt64Ty())
                                             : at.getInt64(access.size);
    callbacks_.call(
        at, Callback::__footrace_write_masked,
        {access.address, length, at.CreateZExt(enabled, at.getInt64Ty()), site(access, access.size)});
    return;
  }
  switch (access.extent) {
  case Extent::Fixed: {
    Value* address = access.address;
    if (access.offset != 0) address = at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), address, access.offset);
    if (const auto callback = sized_callback(access.kind, access.size))
      emit_sized(at, access, address, *callback);
    else
      emit_range(at, access, address, at.getInt64(access.size));
    return;
  }
  case Extent::RunTime:
    return emit_range(at, access, access.address, at.CreateZExtOrTrunc(access.length, at.getInt64Ty()));
  case Extent::Masked:
  case Extent::Compressed:
    return emit_masked(at, access);
  case Extent::Scattered:
    return emit_scattered(at, access);
  }
}

// The same-epoch test of abi/shadow_layout.h; null where the access may cross a cell, which the runtime sorts out.
Value* Emitter::seen_in_this_epoch(IRBuilderBase& at, const Access& access, Value* address) {
  if (!inline_checks_ || !isa<LoadInst, StoreInst>(current_) || access.offset != 0) return nullptr;
  const uint64_t alignment = getLoadStoreAlignment(current_).value();
  if (alignment < std::min<uint64_t>(access.size, 8)) return nullptr;

  Module& module = *function_.getParent();
  auto* word_type = at.getInt64Ty();
  auto* epoch = cast<GlobalVariable>(module.getOrInsertGlobal(FOOTRACE_EPOCH_SYMBOL, word_type, [&] {
    return new GlobalVariable(module, word_type, false, GlobalValue::ExternalLinkage, nullptr,
                              FOOTRACE_EPOCH_SYMBOL, nullptr, GlobalValue::InitialExecTLSModel);
  }));
  Value* now = at.CreateLoad(word_type, at.CreateThreadLocalAddress(epoch));
  Value* number = at.CreatePtrToInt(address, word_type);
  Value* offset = at.CreateShl(at.CreateAnd(number, kAppMask & ~uint64_t(7)), 1);
  const uint64_t word_offset = access.kind == AccessKind::Read ? 8 : 0;
  const auto difference = [&](uint64_t cell) {
    Value* place = at.CreateAdd(offset, at.getInt64(kCellBase + word_offset + 16 * cell));
    LoadInst* word = at.CreateLoad(word_type, at.CreateIntToPtr(place, at.getPtrTy()));
    word->setAtomic(AtomicOrdering::Monotonic);
    return at.CreateXor(word, now);
  };
  Value* wrong = difference(0);
  if (access.size == 16) {
    wrong = at.CreateOr(wrong, difference(1));
  } else if (access.size < 8) {
    Value* bytes = at.CreateShl(at.getInt64((uint64_t(1) << access.size) - 1), at.CreateAnd(number, 7));
    wrong = at.CreateAnd(wrong, at.CreateOr(bytes, ~uint64_t(0xff)));
  }
  return at.CreateIsNull(wrong);
}

void Emitter::emit_sized(IRBuilderBase& at, const Access& access, Value* address, Callback callback) {
  Constant* record = site(access, access.size);
  if (Value* seen = seen_in_this_epoch(at, access, address)) {
    Instruction* then = SplitBlockAndInsertIfThen(at.CreateNot(seen), current_->getIterator(), false,
                                                  MDBuilder(at.getContext()).createUnlikelyBranchWeights());
    IRBuilder<> slow(then);
    slow.SetCurrentDebugLocation(current_->getDebugLoc());
    callbacks_.call(slow, callback, {address, record});
    at.SetInsertPoint(current_);
    return;
  }
  callbacks_.call(at, callback, {address, record});
}

void Emitter::emit_range(IRBuilderBase& at, const Access& access, Value* address, Value* length) {
  const Callback callback =
      access.kind == AccessKind::Read ? Callback::__footrace_read_range : Callback::__footrace_write_range;
  const auto* bytes = dyn_cast<ConstantInt>(length);
  callbacks_.call(at, callback,
                  {address, length, site(access, bytes != nullptr ? bytes->getZExtValue() : 0)});
}

Value* Emitter::lane_bools(IRBuilderBase& at, const Lanes& lanes) {
  Value* mask = lanes.mask;
  switch (lanes.form) {
  case MaskForm::Bools:
    mask = first_lanes(at, mask, 0, lanes.count);
    break;
  case MaskForm::SignBits: {
    auto* type = cast<FixedVectorType>(mask->getType());
    mask = at.CreateBitCast(mask, VectorType::getInteger(type));
    mask = at.CreateICmpSLT(mask, Constant::getNullValue(mask->getType()));
    mask = first_lanes(at, mask, 0, lanes.count);
    break;
  }
  case MaskForm::LowBits:
    if (auto* type = dyn_cast<FixedVectorType>(mask->getType()))
      mask = at.CreateBitCast(mask, at.getIntNTy(type->getNumElements()));
    mask = at.CreateBitCast(at.CreateZExtOrTrunc(mask, at.getIntNTy(lanes.count)),
                            FixedVectorType::get(at.getInt1Ty(), lanes.count));
    break;
  }
  if (lanes.active != nullptr) {
    auto* type = cast<IntegerType>(lanes.active->getType());
    Value* limit = at.CreateVectorSplat(lanes.count, lanes.active);
    mask = at.CreateAnd(mask, at.CreateICmpULT(lane_numbers(type, lanes.count), limit));
  }
  return mask;
}

Value* Emitter::lane_bits(IRBuilderBase& at, Value* bools, unsigned first, unsigned count) {
  Value* part = first_lanes(at, bools, first, count);
  return at.CreateZExt(at.CreateBitCast(part, at.getIntNTy(count)), at.getInt64Ty());
}

void Emitter::emit_masked(IRBuilderBase& at, const Access& access) {
  const bool read = access.kind == AccessKind::Read;
  Value* bools = lane_bools(at, access.lanes);
  if (access.extent == Extent::Compressed) {
    Value* bits = at.CreateBitCast(bools, at.getIntNTy(access.lanes.count));
    Value* lanes = at.CreateUnaryIntrinsic(Intrinsic::ctpop, bits);
    Value* length = at.CreateMul(at.CreateZExtOrTrunc(lanes, at.getInt64Ty()), at.getInt64(access.size));
    return emit_range(at, access, access.address, length);
  }
  for (unsigned first = 0; first < access.lanes.count; first += lanes_per_call) {
    const unsigned count = std::min(lanes_per_call, access.lanes.count - first);
    Value* bits = lane_bits(at, bools, first, count);
    Value* address = access.address;
    if (first != 0) address = at.CreateConstGEP1_64(at.getInt8Ty(), address, first * access.size);
    callbacks_.call(at, read ? Callback::__footrace_read_masked : Callback::__footrace_write_masked,
                    {address, at.getInt64(access.size), bits, site(access, access.size)});
  }
}

Value* Emitter::lane_addresses(IRBuilderBase& at, const Access& access) {
  const Lanes& lanes = access.lanes;
  if (access.address->getType()->isVectorTy()) return access.address;
  auto* wide = FixedVectorType::get(at.getInt64Ty(), lanes.count);
  Value* index = lanes.index != nullptr
                     ? at.CreateSExtOrTrunc(first_lanes(at, lanes.index, 0, lanes.count), wide)
                     : static_cast<Value*>(lane_numbers(at.getInt64Ty(), lanes.count));
  Value* scale = at.CreateSExtOrTrunc(lanes.scale, at.getInt64Ty());
  Value* offsets = at.CreateMul(index, at.CreateVectorSplat(lanes.count, scale));
  return at.CreateGEP(at.getInt8Ty(), access.address, offsets);
}

AllocaInst* Emitter::address_buffer() {
  if (address_buffer_ == nullptr) {
    BasicBlock& entry = function_.getEntryBlock();
    IRBuilder<> at(&entry, entry.begin());
    address_buffer_ =
        at.CreateAlloca(ArrayType::get(at.getPtrTy(), lanes_per_call), nullptr, "footrace.lanes");
    address_buffer_->setAlignment(Align(64));
  }
  return address_buffer_;
}

void Emitter::emit_scattered(IRBuilderBase& at, const Access& access) {
  const bool read = access.kind == AccessKind::Read;
  Value* bools = lane_bools(at, access.lanes);
  Value* addresses = lane_addresses(at, access);
  for (unsigned first = 0; first < access.lanes.count; first += lanes_per_call) {
    const unsigned count = std::min(lanes_per_call, access.lanes.count - first);
    at.CreateAlignedStore(first_lanes(at, addresses, first, count), address_buffer(), Align(8));
    callbacks_.call(at, read ? Callback::__footrace_read_gather : Callback::__footrace_write_scatter,
                    {address_buffer(), at.getInt64(access.size), lane_bits(at, bools, first, count),
                     site(access, access.size)});
  }
}

Value* Emitter::cas_success(IRBuilderBase& at, Instruction& inst) {
  if (isa<AtomicCmpXchgInst>(inst)) return at.CreateExtractValue(&inst, 1);
  return at.CreateICmpNE(&inst, Constant::getNullValue(inst.getType())); // library call
}

void Emitter::emit_atomic(Instruction& inst, const Access& access) {
  IRBuilder<> at(&inst);
  const auto order = [&](Value* value) { return at.CreateZExtOrTrunc(value, at.getInt32Ty()); };
  // Orders of library calls may be computed: before the begin, so that the bracket holds the instruction
  // alone.
  Value* success_order = order(access.order);
  Value* failure_order = access.failure_order != nullptr ? order(access.failure_order) : nullptr;
  Value* length = access.length != nullptr ? at.CreateZExtOrTrunc(access.length, at.getInt64Ty())
                                           : at.getInt64(access.size);
  Value* scope = callbacks_.call(at, Callback::__footrace_atomic_begin,
                                 {access.address, length, site(access, access.size)});
  at.SetInsertPoint(inst.getNextNode());
  at.SetCurrentDebugLocation(inst.getDebugLoc());
  switch (access.kind) {
  case AccessKind::AtomicLoad:
    callbacks_.call(at, Callback::__footrace_atomic_end_load, {scope, success_order});
    break;
  case AccessKind::AtomicStore:
    callbacks_.call(at, Callback::__footrace_atomic_end_store, {scope, success_order});
    break;
  case AccessKind::AtomicRmw:
    callbacks_.call(at, Callback::__footrace_atomic_end_rmw, {scope, success_order});
    break;
  case AccessKind::AtomicCas: {
    Value* success = cas_success(at, inst);
    callbacks_.call(at, Callback::__footrace_atomic_end_cas,
                    {scope, at.CreateZExt(success, at.getInt32Ty()), success_order, failure_order});
    break;
  }
  default:
    llvm_unreachable("not a bracketed access");
  }
}

} // namespace footrace
