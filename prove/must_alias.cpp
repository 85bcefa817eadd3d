#include "prove/must_alias.h"

#include "prove/executions.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace footrace::prove {
namespace {

constexpr unsigned max_rounds = 40;

struct Fact {
  const llvm::Value* value;
  LocationSet locations; // of the address
  bool operator==(const Fact& other) const { return value == other.value; }
};
// An address with variable indices, spelled with representatives: equal spellings are equal values.
using Spelling = std::vector<std::uintptr_t>;
struct Facts : std::map<Address, Fact> {
  std::map<Spelling, const llvm::GetElementPtrInst*> names;
};

// What a function may do to facts of its caller.
struct Summary {
  LocationSet written;
  bool may_acquire = false;
};

class MustAlias {
public:
  MustAlias(const PointsTo& pointers, const Accesses& accesses, const LocationSet& parallel,
            const RacySites& races)
      : pointers_(pointers), parallel_(parallel), races_(races), data_(pointers.module().getDataLayout()) {
    summaries_.resize(pointers.instances().size());
    for (const Access& access : accesses.all())
      if (access.may_write() && access.kind != AccessKind::Allocation) {
        summaries_[access.instance].written |= whole_objects(accesses.locations(access), access.size);
        if (!llvm::isa<llvm::StoreInst>(access.inst))
          written_by_[{access.instance, access.inst}] |=
              whole_objects(accesses.locations(access), access.size);
      }
    solve_summaries();
  }

  Equalities run() {
    for (InstanceId id = 0; id < pointers_.instances().size(); id++) flow(id);
    return std::move(equalities_);
  }

private:
  // A write of unknown length reaches the other fields too.
  LocationSet whole_objects(const LocationSet& locations, std::uint64_t size) const {
    if (size != unbounded && size <= 8) return locations;
    LocationSet all;
    for (LocationId location : locations)
      for (auto [offset, field] : pointers_.memory()[pointers_.memory().object_of(location)].fields)
        all.set(pointers_.memory().find(field));
    return all;
  }

  bool may_acquire_here(InstanceId instance, const llvm::Instruction& inst) const {
    if (inst.isAtomic()) return true;
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst);
    if (!call || llvm::isa<llvm::IntrinsicInst>(call)) return false;
    for (const LibraryFunction* function : pointers_.library_callees(instance, call))
      if (may_acquire(function->role)) return true;
    bool is_known =
        !pointers_.library_callees(instance, call).empty() || !pointers_.callees(instance, call).empty();
    return !is_known;
  }

  void solve_summaries() {
    for (InstanceId id = 0; id < summaries_.size(); id++)
      for (const llvm::Instruction& inst : llvm::instructions(*pointers_.instances()[id].function))
        summaries_[id].may_acquire |= may_acquire_here(id, inst);
    bool changed = true;
    while (changed) {
      changed = false;
      for (InstanceId id = 0; id < summaries_.size(); id++)
        for (const llvm::Instruction& inst : llvm::instructions(*pointers_.instances()[id].function))
          if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst))
            for (InstanceId callee : pointers_.callees(id, call)) {
              changed |= summaries_[id].written |= summaries_[callee].written;
              changed |= summaries_[callee].may_acquire && !summaries_[id].may_acquire;
              summaries_[id].may_acquire |= summaries_[callee].may_acquire;
            }
    }
  }

  static void forget(Facts& facts, const LocationSet& written) {
    std::erase_if(static_cast<std::map<Address, Fact>&>(facts),
                  [&](const auto& entry) { return entry.second.locations.intersects(written); });
  }

  void apply(InstanceId instance, const llvm::Instruction& inst, Facts& facts) {
    std::erase_if(
        facts, [&](const auto& entry) { return entry.first.root == &inst || entry.second.value == &inst; });
    if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&inst)) return name(instance, *gep, facts);
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst); load && !load->isAtomic())
      return read(instance, *load, facts);
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst); store && !store->isAtomic())
      return write(instance, *store, facts);
    if (auto written = written_by_.find({instance, &inst}); written != written_by_.end())
      forget(facts, written->second);
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst))
      for (InstanceId callee : pointers_.callees(instance, call)) {
        forget(facts, summaries_[callee].written);
        if (summaries_[callee].may_acquire) forget(facts, parallel_);
      }
    if (may_acquire_here(instance, inst)) forget(facts, parallel_);
  }

  void name(InstanceId instance, const llvm::GetElementPtrInst& gep, Facts& facts) {
    if (gep.hasAllConstantIndices()) return;
    Address base = address_of(gep.getPointerOperand(), data_, equalities_, instance);
    Spelling spelling{reinterpret_cast<std::uintptr_t>(gep.getSourceElementType()),
                      reinterpret_cast<std::uintptr_t>(base.root), static_cast<std::uintptr_t>(base.offset)};
    for (const llvm::Use& index : gep.indices())
      spelling.push_back(reinterpret_cast<std::uintptr_t>(equalities_.representative(instance, index.get())));
    auto known = facts.names.try_emplace(std::move(spelling), &gep).first;
    equate(instance, gep, is_current(*known->second, gep) ? known->second : &gep);
  }

  void read(InstanceId instance, const llvm::LoadInst& load, Facts& facts) {
    if (races_.contains({instance, &load})) return;
    Address address = address_of(load.getPointerOperand(), data_, equalities_, instance);
    auto known = facts.find(address);
    if (known != facts.end() && known->second.value->getType() == load.getType() &&
        is_current(*known->second.value, load)) {
      equate(instance, load, known->second.value);
    } else {
      equate(instance, load, &load);
      facts[address] = {&load, pointers_.points_to(load.getPointerOperand(), instance)};
    }
  }

  // A value that does not dominate the load may be computed again before what the load gives is used.
  bool is_current(const llvm::Value& value, const llvm::Instruction& load) {
    const auto* inst = llvm::dyn_cast<llvm::Instruction>(&value);
    return !inst || inst == &load || shapes_.dominators(*load.getFunction()).dominates(inst, &load);
  }

  void equate(InstanceId instance, const llvm::Instruction& load, const llvm::Value* value) {
    if (is_giving_up_) value = &load;
    changed_ |= equalities_.representative(instance, &load) != value;
    equalities_.set(instance, &load, value);
  }

  void write(InstanceId instance, const llvm::StoreInst& store, Facts& facts) {
    const LocationSet& locations = pointers_.points_to(store.getPointerOperand(), instance);
    forget(facts, locations);
    Address address = address_of(store.getPointerOperand(), data_, equalities_, instance);
    facts[address] = {store.getValueOperand(), locations};
  }

  static bool meet(std::optional<Facts>& into, const Facts& from) {
    if (!into) {
      into = from;
      return true;
    }
    std::size_t before = into->size() + into->names.size();
    std::erase_if(static_cast<std::map<Address, Fact>&>(*into), [&](const auto& entry) {
      auto other = from.find(entry.first);
      return other == from.end() || !(other->second == entry.second);
    });
    std::erase_if(into->names, [&](const auto& entry) {
      auto other = from.names.find(entry.first);
      return other == from.names.end() || other->second != entry.second;
    });
    return into->size() + into->names.size() != before;
  }

  // Equalities of an earlier round may be too bold: every round writes them anew, and the last one is stable.
  void flow(InstanceId instance) {
    const llvm::Function& function = *pointers_.instances()[instance].function;
    std::map<const llvm::BasicBlock*, std::optional<Facts>> entries;
    entries[&function.getEntryBlock()] = Facts();
    bool again = true;
    is_giving_up_ = false;
    for (unsigned round = 0; again; round++) {
      is_giving_up_ = round >= max_rounds;
      again = changed_ = false;
      for (const llvm::BasicBlock& block : function) {
        if (!entries[&block]) continue;
        Facts facts = *entries[&block];
        for (const llvm::Instruction& inst : block) apply(instance, inst, facts);
        for (const llvm::BasicBlock* next : llvm::successors(&block)) again |= meet(entries[next], facts);
      }
      again |= changed_;
    }
  }

  const PointsTo& pointers_;
  const LocationSet& parallel_;
  const RacySites& races_;
  const llvm::DataLayout& data_;
  std::vector<Summary> summaries_;
  std::map<std::pair<InstanceId, const llvm::Instruction*>, LocationSet> written_by_;
  Equalities equalities_;
  Shapes shapes_;
  bool changed_ = false;
  bool is_giving_up_ = false; // the rounds did not settle: every load is only itself
};

} // namespace

Equalities must_alias_facts(const PointsTo& pointers, const Accesses& accesses,
                            const LocationSet& written_in_parallel, const RacySites& races) {
  return MustAlias(pointers, accesses, written_in_parallel, races).run();
}

} // namespace footrace::prove
