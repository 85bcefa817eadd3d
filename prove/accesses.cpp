#include "prove/accesses.h"

#include "prove/addresses.h"
#include "prove/formats.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace footrace::prove {
namespace {

// Neither an acquiring read nor a releasing write. An update does both.
bool is_relaxed(const llvm::Instruction& inst) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst))
    return !llvm::isAcquireOrStronger(load->getOrdering());
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst))
    return !llvm::isReleaseOrStronger(store->getOrdering());
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&inst))
    return update->getOrdering() != llvm::AtomicOrdering::AcquireRelease &&
           update->getOrdering() != llvm::AtomicOrdering::SequentiallyConsistent;
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&inst))
    return !llvm::isReleaseOrStronger(exchange->getSuccessOrdering()) ||
           !llvm::isAcquireOrStronger(exchange->getSuccessOrdering()) ||
           !llvm::isAcquireOrStronger(exchange->getFailureOrdering());
  if (const auto* call =
          llvm::dyn_cast<llvm::CallBase>(&inst)) { // __atomic_*: the last argument is the order
    const auto* order = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(call->arg_size() - 1));
    return !order || order->getZExtValue() != static_cast<unsigned>(llvm::AtomicOrderingCABI::seq_cst);
  }
  return true;
}

class Collector {
public:
  Collector(const PointsTo& pointers, InstanceId instance, std::vector<Access>& out)
      : pointers_(pointers), instance_(instance), out_(out) {}

  void collect(const llvm::Instruction& inst) {
    const llvm::DataLayout& data = inst.getModule()->getDataLayout();
    auto size = [&](const llvm::Type* type) {
      return data.getTypeStoreSize(const_cast<llvm::Type*>(type)).getFixedValue();
    };
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst)) {
      add(inst, load->getPointerOperand(), size(load->getType()), AccessKind::Read, load->isAtomic());
    } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst)) {
      add(inst, store->getPointerOperand(), size(store->getValueOperand()->getType()), AccessKind::Write,
          store->isAtomic());
    } else if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&inst)) {
      add(inst, exchange->getPointerOperand(), size(exchange->getNewValOperand()->getType()),
          AccessKind::Write, true);
    } else if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&inst)) {
      add(inst, update->getPointerOperand(), size(update->getValOperand()->getType()), AccessKind::Write,
          true);
    } else if (const auto* memory = llvm::dyn_cast<llvm::AnyMemIntrinsic>(&inst)) {
      collect_memory(*memory);
    } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst)) {
      collect_copies(*call);
      for (const LibraryFunction* function : pointers_.library_callees(instance_, call))
        collect_library(*call, *function);
    }
  }

private:
  void add(const llvm::Instruction& inst, const llvm::Value* pointer, std::uint64_t size, AccessKind kind,
           bool is_atomic) {
    out_.push_back({instance_, &inst, pointer, size, kind, is_atomic, is_atomic && is_relaxed(inst)});
  }

  void collect_memory(const llvm::AnyMemIntrinsic& memory) {
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(memory.getLength());
    std::uint64_t size = length ? length->getZExtValue() : unbounded;
    add(memory, memory.getRawDest(), size, AccessKind::Write, false);
    if (const auto* transfer = llvm::dyn_cast<llvm::AnyMemTransferInst>(&memory))
      add(memory, transfer->getRawSource(), size, AccessKind::Read, false);
  }

  // Records that are passed by value are copied by the call.
  void collect_copies(const llvm::CallBase& call) {
    for (unsigned i = 0; i < call.arg_size(); i++)
      if (call.isByValArgument(i))
        add(call, call.getArgOperand(i),
            call.getModule()->getDataLayout().getTypeStoreSize(call.getParamByValType(i)).getFixedValue(),
            AccessKind::Read, false);
  }

  void collect_library(const llvm::CallBase& call, const LibraryFunction& function) {
    if (function.result == 'n') add(call, &call, unbounded, AccessKind::Allocation, false);
    for (unsigned i = 0; i < call.arg_size(); i++) {
      const llvm::Value* argument = call.getArgOperand(i);
      if (!argument->getType()->isPointerTy()) continue;
      char letter = function.letter(i);
      if (letter == 'o' && !may_be_unlocked_stream(argument)) continue;
      if (letter == 'o') letter = 'b';
      if (letter == 'r' || letter == 'b') add(call, argument, unbounded, AccessKind::Read, false);
      bool is_stored_by_format =
          letter == 'r' && i >= call.getFunctionType()->getNumParams() && may_store_arguments(call);
      if (letter == 'w' || letter == 'b' || is_stored_by_format)
        add(call, argument, written_size(call, function, i), AccessKind::Write, false);
      if (letter == 'l' || letter == 'x')
        add(call, argument, size_argument(call), letter == 'l' ? AccessKind::Read : AccessKind::Write, true);
      if (letter == 'f') add(call, argument, unbounded, AccessKind::Free, false);
    }
  }

  // std::cout and the like may be used by several threads at once ([iostream.objects.overview]).
  bool may_be_unlocked_stream(const llvm::Value* stream) const {
    const LocationSet& locations = pointers_.points_to(stream, instance_);
    for (LocationId location : locations) {
      const Object& object = pointers_.memory()[pointers_.memory().object_of(location)];
      const auto* variable = llvm::dyn_cast_or_null<llvm::GlobalVariable>(object.site);
      if (!variable || !is_standard_stream(variable->getName())) return true;
    }
    return locations.empty();
  }

  static std::uint64_t size_argument(const llvm::CallBase& call) {
    const auto* size = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
    return size ? size->getZExtValue() : unbounded;
  }

  // Handles are one word; other results may be as long as the object.
  static std::uint64_t written_size(const llvm::CallBase&, const LibraryFunction& function, unsigned) {
    switch (function.role) {
    case Role::Spawn:
    case Role::SpawnState:
    case Role::Join:
    case Role::JoinObject:
    case Role::AllocateInto:
    case Role::AllocateRecords:
    case Role::Cursor:
    case Role::KeyCreate:
      return 8;
    default:
      return unbounded;
    }
  }

  const PointsTo& pointers_;
  InstanceId instance_;
  std::vector<Access>& out_;
};

// Part of a mapping can be given back; of allocated memory only all.
bool must_free_all(const Access& access) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(access.inst);
  const LibraryFunction* function = call ? library_function(*call) : nullptr;
  return access.kind == AccessKind::Free && function && function->name != "munmap";
}

// Only what was allocated can be freed, by the address of its first byte: a string that has its text inside frees nothing.
LocationSet freed_by(const PointsTo& pointers, const Access& access) {
  const Memory& memory = pointers.memory();
  LocationSet freed;
  for (LocationId id : pointers.points_to(access.pointer, access.instance)) {
    const Location& location = memory.at(id);
    const Object& object = memory[location.object];
    const bool is_variable = object.kind == ObjectKind::Global || object.kind == ObjectKind::ThreadLocal ||
                             object.kind == ObjectKind::Stack;
    const bool is_inside = object.kind == ObjectKind::Heap && !object.is_pooled && location.offset != 0 &&
                           !object.layout.range_at(location.offset);
    if (!is_variable && !is_inside) freed.set(id);
  }
  return freed;
}

bool is_access(const llvm::Instruction& inst) {
  return llvm::isa<llvm::LoadInst, llvm::StoreInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst,
                   llvm::AnyMemIntrinsic>(inst);
}

} // namespace

Accesses::Accesses(const PointsTo& pointers) : pointers_(pointers) {
  llvm::SmallPtrSet<const llvm::Function*, 16> reached;
  for (InstanceId id = 0; id < pointers.instances().size(); id++) {
    const llvm::Function& function = *pointers.instances()[id].function;
    reached.insert(&function);
    Collector collector(pointers, id, all_);
    for (const llvm::Instruction& inst : llvm::instructions(function)) collector.collect(inst);
  }
  for (const Access& access : all_)
    if (must_free_all(access)) freed_[{access.instance, access.inst}] = freed_by(pointers, access);
  for (LocationId id = 0; id < pointers.memory().location_count(); id++)
    if (!may_be_written(pointers.memory()[pointers.memory().object_of(id)])) constants_.set(id);
  for (const llvm::Function& function : pointers.module())
    if (!reached.contains(&function))
      for (const llvm::Instruction& inst : llvm::instructions(function)) unreached_ += is_access(inst);
}

const LocationSet& Accesses::locations(AccessId id) const { return locations(all_[id]); }

const LocationSet& Accesses::locations(const Access& access) const {
  if (access.kind == AccessKind::Free)
    if (auto freed = freed_.find({access.instance, access.inst}); freed != freed_.end()) return freed->second;
  return pointers_.points_to(access.pointer, access.instance);
}

bool Accesses::may_touch(const Access& access, LocationId location, std::uint64_t size) const {
  const Memory& memory = pointers_.memory();
  const Location& wanted = memory.at(location);
  for (LocationId id : locations(access)) {
    const Location& touched = memory.at(id);
    if (touched.object == wanted.object &&
        memory[wanted.object].layout.may_overlap(touched.offset, access.size, wanted.offset, size))
      return true;
  }
  return false;
}

bool Accesses::have_common_location(const Access& a, const Access& b) const {
  const LocationSet &one = locations(a), &two = locations(b);
  if (a.size == 0 || b.size == 0 || !one.intersects(two)) return false;
  if (!one.intersects(constants_)) return true;
  LocationSet common = one;
  common &= two;
  common.intersectWithComplement(constants_);
  return !common.empty();
}

// Constant addresses in one variable are apart, though a variable may index it elsewhere.
bool Accesses::must_be_apart(const Access& a, const Access& b) const {
  if (pointers_.collapses_arrays()) return false;
  if (!llvm::isa<llvm::Constant>(a.pointer) || !llvm::isa<llvm::Constant>(b.pointer)) return false;
  const llvm::DataLayout& data = pointers_.module().getDataLayout();
  const Address one = address_of(a.pointer, data), two = address_of(b.pointer, data);
  if (one.root != two.root || !is_shared_variable(one.root) || one.offset < 0 || two.offset < 0) return false;
  return (one.offset < two.offset ? a : b).size <=
             static_cast<std::uint64_t>(std::abs(two.offset - one.offset)) &&
         one.offset != two.offset;
}

bool Accesses::may_alias(const Access& a, const Access& b) const {
  const Memory& memory = pointers_.memory();
  if (must_be_apart(a, b)) return false;
  if (have_common_location(a, b)) return true;
  auto by_object = [&](const Access& access) {
    llvm::SmallVector<std::pair<ObjectId, std::uint64_t>> places;
    for (LocationId id : locations(access))
      if (!constants_.test(id)) places.push_back({memory.at(id).object, memory.at(id).offset});
    llvm::sort(places);
    return places;
  };
  const auto one = by_object(a), two = by_object(b);
  const bool has_free = a.kind == AccessKind::Free || b.kind == AccessKind::Free;
  for (auto left = one.begin(), from = two.begin(); left != one.end(); ++left) {
    while (from != two.end() && from->first < left->first) ++from;
    for (auto right = from; right != two.end() && right->first == left->first; ++right)
      if (has_free || memory[left->first].layout.may_overlap(left->second, a.size, right->second, b.size))
        return true;
  }
  return false;
}

} // namespace footrace::prove
