#include "instrument/emit.h"

#include "abi/notes.h"
#include "placement/marks.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

#include <algorithm>

using namespace llvm;

namespace footrace {
namespace {

// Up to here LLVM expands constant-size memory intrinsics in place on x86-64.
constexpr uint64_t inline_limit = 128;

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

// The entry points for one kind of check, by size; the last one is for all others.
struct CheckCallbacks {
  Callback by_size[5]; // 1, 2, 4, 8, 16
  Callback range;
};
#define FR_CHECK_CALLBACKS(prefix)                                                                           \
  {{Callback::prefix##1, Callback::prefix##2, Callback::prefix##4, Callback::prefix##8,                      \
    Callback::prefix##16},                                                                                   \
   Callback::prefix##_range}
constexpr CheckCallbacks read_checks = FR_CHECK_CALLBACKS(__footrace_read);
constexpr CheckCallbacks write_checks = FR_CHECK_CALLBACKS(__footrace_write);
constexpr CheckCallbacks unseen_reads = FR_CHECK_CALLBACKS(__footrace_unseen_read);
constexpr CheckCallbacks unseen_writes = FR_CHECK_CALLBACKS(__footrace_unseen_write);
#undef FR_CHECK_CALLBACKS

Value* note(IRBuilderBase& at, AccessNote note) { return at.getInt32(static_cast<uint32_t>(note)); }

void call_check(Callbacks& callbacks, IRBuilderBase& at, const CheckCallbacks& kind,
                const CheckedBytes& bytes, Constant* record) {
  if (isPowerOf2_64(bytes.size) && bytes.size <= 16)
    callbacks.call(at, kind.by_size[Log2_64(bytes.size)], {bytes.address, record});
  else
    callbacks.call(at, kind.range, {bytes.address, at.getInt64(bytes.size), record});
}

} // namespace

bool make_library_atomics_fall_through(Function& function) {
  SmallVector<InvokeInst*, 4> invokes;
  for (BasicBlock& block : function) {
    auto* invoke = dyn_cast<InvokeInst>(block.getTerminator());
    AccessList unused;
    if (invoke != nullptr && collect_library_atomic(*invoke, unused)) invokes.push_back(invoke);
  }
  for (InvokeInst* invoke : invokes) changeToCall(invoke);
  return !invokes.empty();
}

// Code that is not to be optimised keeps plain calls, and so does code whose accesses are to be told one by one.
Emitter::Emitter(Function& function, Callbacks& callbacks, SiteTable& sites, const PassOptions& options,
                 GetAnalyses get_analyses, const InLineLimits& limits)
    : function_(function), callbacks_(callbacks), sites_(sites), get_analyses_(get_analyses),
      options_(options), limits_(limits),
      may_inline_(options.inline_checks && !options.note_accesses && !function.hasOptNone()) {}

std::vector<ReadyCheck> Emitter::prepare(const Plan& plan) {
  uncovered_.assign(plan.accesses.size(), false);
  if (all_of(plan.checks, [](const PlannedCheck& check) { return check.shape == Shape::Own; })) return {};
  ReadyChecks ready = prepare_combined_checks(plan, get_analyses_(function_));
  for (const PlannedCheck* check : ready.not_computable)
    for (const unsigned access : check->covers) uncovered_[access] = true;
  not_computable_ = ready.not_computable.size();
  return std::move(ready.checks);
}

void Emitter::for_each_group(const Plan& plan, function_ref<void(Group)> visit) {
  const auto count = static_cast<unsigned>(plan.accesses.size());
  for (Group group = {0, 0}; group.first < count; group.first = group.last) {
    const Instruction* inst = plan.accesses[group.first].access.inst;
    while (group.last < count && plan.accesses[group.last].access.inst == inst) ++group.last;
    visit(group);
  }
}

bool Emitter::emit_early(const Plan& plan) {
  const std::vector<ReadyCheck> ready = prepare(plan);
  for (const ReadyCheck& check : ready) emit_combined(plan, check, Form::Call);
  if (ready.empty()) return false;
  for_each_group(plan, [&](Group group) {
    bool has_covered = false;
    for (unsigned i = group.first; i < group.last; ++i) {
      if (plan.accesses[i].left_out) continue;
      if (is_checked_here(plan, i)) return; // the mark is for the instruction as a whole
      has_covered = true;
    }
    if (!has_covered) return;
    if (options_.note_accesses) note_accesses(plan, group);
    mark_covered(*plan.accesses[group.first].access.inst);
  });
  return true;
}

void Emitter::choose_forms(const Plan& plan, ArrayRef<ReadyCheck> ready) {
  if (!may_inline_ || plan.checks.empty()) return;
  all_in_line_ = plan.checks.size() <= limits_.few_checks;
  SmallVector<const Instruction*, 32> checked;
  for (unsigned i = 0; i < plan.accesses.size(); ++i)
    if (is_checked_here(plan, i)) checked.push_back(plan.accesses[i].access.inst);
  for (const ReadyCheck& check : ready) checked.push_back(check.before);
  in_loop_ = tested_in_loops(checked, get_analyses_(function_).loops, limits_);
}

Emitter::Form Emitter::form_at(const Instruction& inst) const {
  if (in_loop_.contains(&inst)) return Form::LoopTest;
  return all_in_line_ ? Form::InlineTest : Form::Call;
}

bool Emitter::emit(const Plan& plan) {
  const std::vector<ReadyCheck> ready = prepare(plan);
  // Before the checks of single accesses, which replace and split.
  choose_forms(plan, ready);
  for (const ReadyCheck& check : ready) emit_combined(plan, check, form_at(*check.before));
  bool changed = !ready.empty();
  for_each_group(plan, [&](Group group) { changed |= emit_group(plan, group); });
  replace_loads();
  return changed;
}

// -- Checks that stand for several accesses

// The best that the accesses of a check know about where it begins.
static CheckedBytes bytes_of_check(const Plan& plan, const ReadyCheck& ready, uint64_t size) {
  CheckedBytes bytes = checked_bytes(ready.address, size, Align(ready.check->alignment), *ready.before);
  for (unsigned i = 0; i < ready.places.size(); ++i) {
    const Access& access = plan.accesses[ready.check->covers[i]].access;
    const CoverPlace place = ready.places[i];
    if (!isa<LoadInst, StoreInst>(access.inst) || access.offset != 0) continue;
    if (place.offset == kUnknownOffset || place.stride != 0) continue;
    const Align alignment = getLoadStoreAlignment(access.inst);
    const auto offset = static_cast<uint64_t>(static_cast<int64_t>(place.offset));
    bytes.alignment = std::max(bytes.alignment, commonAlignment(alignment, offset));
    if (alignment >= Align(8)) bytes.place_in_cell = (0 - offset) & 7;
  }
  return bytes;
}

static Constant* address_of(GlobalVariable& variable, uint64_t offset) {
  LLVMContext& context = variable.getContext();
  return ConstantExpr::getInBoundsGetElementPtr(Type::getInt8Ty(context), &variable,
                                                ConstantInt::get(Type::getInt64Ty(context), offset));
}

// Where in a piece of an array that is checked through a proxy the access first is.
static GlobalBytes first_in(const GlobalBytes& piece, const CoverPlace& place, const PlannedCheck& check,
                            uint64_t size) {
  if (place.offset == kUnknownOffset) return piece;
  const auto from = static_cast<int64_t>(piece.begin);
  int64_t begin = check.offset + place.offset;
  if (const auto stride = static_cast<int64_t>(place.stride); stride != 0)
    begin = from + ((begin - from) % stride + stride) % stride;
  const auto first = static_cast<uint64_t>(begin);
  return {piece.variable, first, begin < from ? first : std::min(piece.end, first + size)};
}

// An access has one record for each of its proxies. Where many accesses share the bytes of an array, the record is of bytes that each of them touches.
static std::vector<ProxiedSite> proxied_sites(const Plan& plan, const ReadyCheck& ready) {
  const PlannedCheck& check = *ready.check;
  std::vector<ProxiedSite> sites;
  const auto add = [&](SiteRole role, const Access& access, const GlobalBytes& bytes,
                       const Proxied& proxied) {
    if (bytes.begin >= bytes.end) return;
    const ProxiedSite site = {role,
                              access.inst,
                              site_kind(access.kind),
                              bytes.end - bytes.begin,
                              address_of(*bytes.variable, bytes.begin),
                              address_of(*proxied.proxy.variable, proxied.proxy.begin)};
    const auto is_same = [&](const ProxiedSite& other) {
      return other.at == site.at && other.address == site.address && other.proxy == site.proxy;
    };
    if (none_of(sites, is_same)) sites.push_back(site);
  };
  for (const Proxied& proxied : check.proxied) {
    for (const auto& [number, begin] : proxied.accesses) {
      const Access& access = plan.accesses[number].access;
      add(SiteRole::Proxied, access, {proxied.bytes.variable, begin, begin + access.size}, proxied);
    }
    if (!proxied.accesses.empty()) continue;
    for (const auto& [number, place] : zip_equal(check.covers, ready.places)) {
      const Access& access = plan.accesses[number].access;
      add(SiteRole::Extent, access, first_in(proxied.bytes, place, check, access.size), proxied);
    }
  }
  return sites;
}

Constant* Emitter::combined_site(const Plan& plan, const ReadyCheck& ready, uint64_t size) {
  const SiteKind kind = site_kind(ready.check->kind);
  const std::vector<ProxiedSite> proxied = proxied_sites(plan, ready);
  std::vector<CoveredSite> covered;
  for (unsigned i = 0; i < ready.places.size(); ++i) {
    const unsigned number = ready.check->covers[i];
    if (!ready.check->names.empty() && !is_contained(ready.check->names, number)) continue;
    if (has_proxy(*ready.check, number)) continue;
    const Access& access = plan.accesses[number].access;
    covered.push_back({access.inst, site_kind(access.kind), access.size, ready.places[i]});
  }
  const bool is_one_access = proxied.empty() && covered.size() == 1 && covered.front().kind == kind &&
                             covered.front().size == size && covered.front().place.offset == 0 &&
                             covered.front().place.stride == 0;
  return is_one_access ? sites_.site(*covered.front().at, kind, size)
                       : sites_.check(kind, size, covered, proxied);
}

// For the validator: what the check that was just made stands for, and which of its bytes for that.
void Emitter::note_proxied(IRBuilderBase& at, const PlannedCheck& check, Constant* record) {
  for (const Proxied& proxied : check.proxied) {
    Constant* bytes = address_of(*proxied.bytes.variable, proxied.bytes.begin);
    Constant* proxy = address_of(*proxied.proxy.variable, proxied.proxy.begin);
    Value* distance =
        at.CreateSub(at.CreatePtrToInt(proxy, at.getInt64Ty()), at.CreatePtrToInt(bytes, at.getInt64Ty()));
    callbacks_.call(at, Callback::__footrace_note_access, {note(at, AccessNote::Proxied)});
    callbacks_.call(
        at,
        check.kind == AccessKind::Read ? Callback::__footrace_read_strided
                                       : Callback::__footrace_write_strided,
        {bytes, at.getInt64(proxied.bytes.end - proxied.bytes.begin), distance, at.getInt64(1), record});
  }
}

void Emitter::emit_combined(const Plan& plan, const ReadyCheck& ready, Form form) {
  const PlannedCheck& check = *ready.check;
  const bool read = check.kind == AccessKind::Read;
  const Instruction* first = plan.accesses[check.covers.front()].access.inst;
  current_ = ready.before;
  IRBuilder<> at(ready.before);
  at.SetCurrentDebugLocation(first->getDebugLoc());

  const auto* length = dyn_cast_or_null<ConstantInt>(ready.length);
  const uint64_t size = check.shape == Shape::Fixed ? check.size
                        : length != nullptr         ? length->getZExtValue()
                                                    : 0;
  Constant* record = combined_site(plan, ready, size);
  if (check.shape == Shape::Strided) {
    callbacks_.call(at, read ? Callback::__footrace_read_strided : Callback::__footrace_write_strided,
                    {ready.address, ready.length != nullptr ? ready.length : at.getInt64(check.size),
                     ready.stride, ready.count, record});
  } else if (size != 0) {
    emit_fixed(at, check.kind, bytes_of_check(plan, ready, size), record, form);
  } else {
    callbacks_.call(at, read ? Callback::__footrace_read_range : Callback::__footrace_write_range,
                    {ready.address, ready.length, record});
  }
  if (options_.note_accesses) note_proxied(at, check, record);
}

// -- Checks of single accesses

bool Emitter::is_checked_here(const Plan& plan, unsigned access) const {
  return plan.has_own_check(access) || uncovered_[access];
}

void Emitter::note_accesses(const Plan& plan, Group group) {
  IRBuilder<> at(plan.accesses[group.first].access.inst);
  current_ = plan.accesses[group.first].access.inst;
  for (unsigned i = group.first; i < group.last; ++i) {
    const PlannedAccess& planned = plan.accesses[i];
    const Access& access = planned.access;
    if (access.unmodelled || has_atomicity(access.kind) || access.condition != Condition::Always) continue;
    if (has_cover_mark(*access.inst)) continue; // noted in the early phase
    callbacks_.call(at, Callback::__footrace_note_access,
                    {note(at, planned.left_out ? AccessNote::CannotRace : AccessNote::MayRace)});
    emit_plain(at, access);
  }
}

bool Emitter::emit_group(const Plan& plan, Group group) {
  if (options_.note_accesses) note_accesses(plan, group);
  SmallVector<const Access*, 2> checked;
  for (unsigned i = group.first; i < group.last; ++i)
    if (is_checked_here(plan, i)) checked.push_back(&plan.accesses[i].access);
  if (checked.empty()) return options_.note_accesses;
  if (replace_memory_intrinsic(plan, group)) return true;
  Instruction* inst = checked.front()->inst;
  current_ = inst;

  Instruction* next = inst->getNextNode();
  // Plain checks first: nothing may stand between the begin and the end of an atomic but its instruction.
  IRBuilder<> before(inst);
  for (const Access* access : checked)
    if (!has_atomicity(access->kind) && access->condition == Condition::Always) emit_plain(before, *access);
  for (const Access* access : checked) {
    if (!has_atomicity(access->kind)) continue;
    if (access->kind == AccessKind::Fence)
      callbacks_.call(before, Callback::__footrace_fence, {access->order});
    else if (!emit_atomic_load(*inst, *access))
      emit_atomic(*inst, *access);
  }
  for (const Access* access : checked) {
    if (access->condition != Condition::CasFailed) continue;
    IRBuilder<> after(next);
    after.SetCurrentDebugLocation(inst->getDebugLoc());
    emit_plain(after, *access, after.CreateNot(cas_success(after, *inst)));
  }
  return true;
}

bool Emitter::replace_memory_intrinsic(const Plan& plan, Group group) {
  auto* intrinsic = dyn_cast<MemIntrinsic>(plan.accesses[group.first].access.inst);
  if (intrinsic == nullptr || !options_.memory_intrinsics || intrinsic->isVolatile()) return false;
  const Intrinsic::ID id = intrinsic->getIntrinsicID();
  if (id == Intrinsic::memcpy_inline || id == Intrinsic::memset_inline) return false;
  const auto* bytes = dyn_cast<ConstantInt>(intrinsic->getLength());
  if (bytes != nullptr && bytes->getZExtValue() <= inline_limit) return false;
  for (unsigned i = group.first; i < group.last; ++i)
    if (!is_checked_here(plan, i)) return false;

  current_ = intrinsic;
  IRBuilder<> at(intrinsic);
  Value* length = at.CreateZExtOrTrunc(intrinsic->getLength(), at.getInt64Ty());
  Constant* record = site(plan.accesses[group.last - 1].access, bytes != nullptr ? bytes->getZExtValue() : 0);
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
    const bool has_alignment = isa<LoadInst, StoreInst>(current_) && access.offset == 0;
    const Align alignment = has_alignment ? getLoadStoreAlignment(current_) : Align(1);
    return emit_fixed(at, access.kind, checked_bytes(address, access.size, alignment, *current_),
                      site(access, access.size), form_at(*current_));
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

void Emitter::emit_fixed(IRBuilderBase& at, AccessKind kind, const CheckedBytes& bytes, Constant* record,
                         Form form) {
  const bool read = kind == AccessKind::Read;
  const auto call_always = [&] {
    call_check(callbacks_, at, read ? read_checks : write_checks, bytes, record);
  };
  if (form == Form::Call) return call_always();
  const SameEpochTest test(at, kind, bytes);
  if (!test.is_possible()) return call_always();
  MDNode* rarely = MDBuilder(at.getContext()).createUnlikelyBranchWeights();
  IRBuilder<> slow(
      SplitBlockAndInsertIfThen(test.has_other_epoch(at), current_->getIterator(), false, rarely));
  slow.SetCurrentDebugLocation(at.getCurrentDebugLocation());
  if (read && form == Form::LoopTest && readers_tests_ < limits_.most_readers) {
    ++readers_tests_;
    slow.SetInsertPoint(
        SplitBlockAndInsertIfThen(test.has_unknown_readers(slow), slow.GetInsertPoint(), false, rarely));
    slow.SetCurrentDebugLocation(at.getCurrentDebugLocation());
  }
  call_check(callbacks_, slow, read ? unseen_reads : unseen_writes, bytes, record);
  at.SetInsertPoint(current_);
}

void Emitter::emit_range(IRBuilderBase& at, const Access& access, Value* address, Value* length) {
  const Callback callback =
      access.kind == AccessKind::Read ? Callback::__footrace_read_range : Callback::__footrace_write_range;
  const auto* bytes = dyn_cast<ConstantInt>(length);
  callbacks_.call(at, callback,
                  {address, length, site(access, bytes != nullptr ? bytes->getZExtValue() : 0)});
}

Value* Emitter::cas_success(IRBuilderBase& at, Instruction& inst) {
  if (isa<AtomicCmpXchgInst>(inst)) return at.CreateExtractValue(&inst, 1);
  return at.CreateICmpNE(&inst, Constant::getNullValue(inst.getType())); // library call
}

// The runtime loads itself where it can: in one call, and mostly without a lock.
bool Emitter::emit_atomic_load(Instruction& inst, const Access& access) {
  auto* load = dyn_cast<LoadInst>(&inst);
  if (load == nullptr || load->isVolatile() || !isPowerOf2_64(access.size) || access.size > 8) return false;
  static constexpr Callback by_size[] = {Callback::__footrace_atomic_load1, Callback::__footrace_atomic_load2,
                                         Callback::__footrace_atomic_load4,
                                         Callback::__footrace_atomic_load8};
  Type* type = load->getType();
  const DataLayout& layout = function_.getParent()->getDataLayout();
  if (layout.getTypeSizeInBits(type) != access.size * 8) return false;
  IRBuilder<> at(load);
  Value* word = callbacks_.call(
      at, by_size[Log2_64(access.size)],
      {access.address, at.CreateZExtOrTrunc(access.order, at.getInt32Ty()), site(access, access.size)});
  Value* bits = at.CreateTrunc(word, at.getIntNTy(static_cast<unsigned>(access.size) * 8));
  loads_.emplace_back(load,
                      type->isPointerTy() ? at.CreateIntToPtr(bits, type) : at.CreateBitCast(bits, type));
  return true;
}

// At the end: until then the plan names the loads.
void Emitter::replace_loads() {
  for (const auto& [load, value] : loads_) {
    value->takeName(load);
    load->replaceAllUsesWith(value);
    load->eraseFromParent();
  }
  loads_.clear();
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
