#include "prove/shared_owners.h"

#include "prove/local_lock.h"
#include "prove/owned_values.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <algorithm>

namespace footrace::prove {
namespace {

constexpr std::uint64_t word = sizeof(void*); // a shared_ptr is a pointer, and a pointer to the counts

bool is_end_of_shared(llvm::StringRef name) {
  return name.starts_with("_ZNSt") && name.contains("_Sp_counted_") &&
         (name.ends_with("10_M_disposeEv") || name.ends_with("10_M_destroyEv"));
}

// shared_ptr(owner, pointer): points to something else than it owns.
bool is_alias_constructor(const llvm::Function& function) {
  if (!function.getName().starts_with("_ZNSt12__shared_ptrI")) return false;
  llvm::ItaniumPartialDemangler demangler;
  const std::string mangled = function.getName().str();
  if (demangler.partialDemangle(mangled.c_str()) || !demangler.isCtorOrDtor()) return false;
  std::unique_ptr<char, decltype(&std::free)> text(demangler.getFunctionParameters(nullptr, nullptr),
                                                   &std::free);
  llvm::StringRef parameters = text ? text.get() : "";
  return parameters.contains("__shared_ptr<") && parameters.contains("*)");
}

// A read that only compares, or makes another owner.
bool keeps_owner(const llvm::LoadInst& load) {
  return llvm::all_of(load.users(), [&](const llvm::User* user) {
    if (llvm::isa<llvm::ICmpInst>(user)) return true;
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) return store->getValueOperand() == &load;
    const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    return callee && is_count_of_owners(callee->getName()) && !callee->getName().contains("_release");
  });
}

// What a read of the field that may hold counts says about it: a weak_ptr has the same two words as a shared_ptr.
struct Evidence {
  bool is_shared = false, is_weak = false;
  void add(const llvm::LoadInst& load) {
    for (const llvm::User* user : load.users()) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || !is_count_of_owners(callee->getName())) continue;
      is_shared |= callee->getName().contains("10_M_releaseEv");
      is_weak |= callee->getName().contains("_M_weak_") || callee->getName().contains("_M_add_ref_lock");
    }
  }
};

// The value may be used after it has been read again.
bool may_be_used_later(const llvm::Value& value) {
  return llvm::any_of(value.users(), [](const llvm::User* user) {
    return llvm::isa<llvm::PHINode, llvm::SelectInst>(user) ||
           (llvm::isa<llvm::GetElementPtrInst>(user) && may_be_used_later(*user));
  });
}

} // namespace

bool is_count_of_owners(llvm::StringRef name) {
  bool is_of_counts =
      name.starts_with("_ZNSt16_Sp_counted_baseI") || name.starts_with("_ZNKSt16_Sp_counted_baseI");
  return is_of_counts &&
         (name.contains("_release") || name.contains("_add_ref") || name.contains("_M_get_use_countEv"));
}

SharedOwners::SharedOwners(const PointsTo& pointers, const Accesses& accesses, const Executions& executions,
                           const Threads& threads, const Escape& escape, const Equalities& equalities,
                           const RacySites& races)
    : pointers_(pointers), accesses_(accesses), executions_(executions), threads_(threads), escape_(escape) {
  if (has_pointers_to_others()) return;
  find_ends();
  if (ends_.empty()) return;
  for (const auto& [instance, objects] : ends_) counts_.insert(objects.begin(), objects.end());
  paths_.emplace(pointers, equalities);
  drop_raced(races);
}

bool SharedOwners::has_pointers_to_others() const {
  return llvm::any_of(pointers_.module(), is_alias_constructor);
}

// What is called only from the end of something belongs to it.
void SharedOwners::find_ends() {
  const llvm::ArrayRef<Instance> instances = pointers_.instances();
  auto is_root = [&](InstanceId id) { return is_end_of_shared(instances[id].function->getName()); };
  std::vector<InstanceId> work;
  for (InstanceId id = 0; id < instances.size(); id++)
    if (is_root(id)) work.push_back(id);
  if (work.empty()) return;
  callers_.emplace(pointers_);
  std::map<InstanceId, std::vector<InstanceId>> callees;
  for (InstanceId id = 0; id < instances.size(); id++)
    for (const Caller& caller : callers_->of(id))
      if (pointers_.origin_of(caller.instance) == pointers_.origin_of(id))
        callees[caller.instance].push_back(id);
  std::set<InstanceId> below;
  while (!work.empty()) {
    InstanceId id = work.back();
    work.pop_back();
    if (below.insert(id).second) work.insert(work.end(), callees[id].begin(), callees[id].end());
  }
  auto is_called_from_elsewhere = [&](InstanceId id) {
    return !is_root(id) &&
           llvm::any_of(callers_->of(id), [&](const Caller& by) { return !below.contains(by.instance); });
  };
  while (std::erase_if(below, is_called_from_elsewhere) > 0) {
  }
  for (InstanceId id : below)
    if (is_root(id))
      for (LocationId counts : pointers_.points_to(instances[id].function->getArg(0), id))
        ends_[id].insert(pointers_.memory().object_of(counts));
  bool changed = true;
  while (changed) {
    changed = false;
    for (InstanceId id : below)
      for (const Caller& caller : callers_->of(id))
        if (!is_root(id))
          for (ObjectId counts : Objects(ends_[caller.instance])) changed |= ends_[id].insert(counts).second;
  }
}

void SharedOwners::drop_raced(const RacySites& races) {
  const Memory& memory = pointers_.memory();
  for (const Access& access : accesses_.all()) {
    if (!races.contains({access.instance, access.inst})) continue;
    for (LocationId location : accesses_.locations(access))
      for (auto [offset, field] : memory[memory.object_of(location)].fields)
        for (LocationId kept : pointers_.solver().points_to(memory.at(memory.find(field)).content))
          if (counts_.contains(memory.object_of(kept)) &&
              accesses_.may_touch(access, memory.find(field), word))
            raced_.insert(memory.object_of(kept));
  }
}

const SharedOwners::Objects* SharedOwners::ended_by(const Access& access) const {
  auto found = ends_.find(access.instance);
  return found == ends_.end() ? nullptr : &found->second;
}

// In the memory of the counts that are ended: equal memory, equal counts.
bool SharedOwners::is_at_ended(const Access& end) const {
  auto is_counts = [&](InstanceId instance, const llvm::Value* value) {
    const auto* parameter = llvm::dyn_cast<llvm::Argument>(value);
    return parameter && parameter->getArgNo() == 0 && is_end_of_shared(parameter->getParent()->getName()) &&
           ends_.contains(instance);
  };
  return paths_->derivation(end.instance, end.pointer, is_counts) == Derived::Directly;
}

bool SharedOwners::is_one(const Objects& counts) const {
  return counts.size() == 1 && executions_.is_single(*counts.begin());
}

bool SharedOwners::must_be_ordered(const Access& a, const Access& b) const {
  if (ends_.empty()) return false;
  const Objects *one = ended_by(a), *two = ended_by(b);
  if (!one && !two) return are_both_counting(a, b);
  Objects counts = one ? *one : *two;
  if (two) counts.insert(two->begin(), two->end());
  if (llvm::any_of(counts, [&](ObjectId object) { return raced_.contains(object); })) return false;
  if (one && two) return are_one_end(a, b, counts);
  return one ? must_precede_end(b, a, counts) : must_precede_end(a, b, counts);
}

// The library counts atomically, or where it has seen that there is nobody else.
bool SharedOwners::are_both_counting(const Access& a, const Access& b) const {
  if (!is_count_of_owners(a.inst->getFunction()->getName()) ||
      !is_count_of_owners(b.inst->getFunction()->getName()))
    return false;
  return llvm::all_of(common_objects(pointers_, accesses_, a, b),
                      [&](ObjectId object) { return counts_.contains(object) && !raced_.contains(object); });
}

// An object has one end: _M_dispose by who drops the last reference, then _M_destroy by who drops the last one to the counts.
bool SharedOwners::are_one_end(const Access& a, const Access& b, const Objects& counts) const {
  if (is_one(counts)) return true;
  return std::ranges::includes(counts, common_objects(pointers_, accesses_, a, b)) && is_at_ended(a) &&
         is_at_ended(b);
}

bool SharedOwners::must_precede_end(const Access& a, const Access& end, const Objects& counts) const {
  const bool is_in_counts = std::ranges::includes(counts, common_objects(pointers_, accesses_, a, end));
  const bool is_same = is_one(counts) || (is_in_counts && is_at_ended(end));
  if (!is_same) return false;
  if (is_count_of_owners(a.inst->getFunction()->getName())) return is_in_counts;
  const Derived derived = by_owner(a, counts);
  return derived == Derived::Directly || (derived == Derived::ByDereference && is_one(counts));
}

Derived SharedOwners::by_owner(const Access& access, const Objects& counts) const {
  auto [known, is_new] = owners_.try_emplace({access.instance, expression_of(access), counts}, Derived::No);
  if (!is_new) return known->second;
  known->second =
      paths_->derivation(access.instance, access.pointer, [&](InstanceId instance, const llvm::Value* value) {
        const auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
        const auto* allocation = llvm::dyn_cast<llvm::CallBase>(value);
        return (load && is_kept(instance, *load, access, counts)) ||
               (allocation && is_held(instance, *allocation, access, counts));
      });
  return known->second;
}

const std::optional<std::vector<AccessId>>& SharedOwners::changes_of(LocationId field) const {
  auto [known, is_new] = changes_.try_emplace(field);
  if (!is_new) return known->second;
  std::vector<AccessId> changes;
  Evidence evidence;
  for (AccessId id = 0; id < accesses_.all().size(); id++) {
    const Access& access = accesses_[id];
    if (access.kind == AccessKind::Allocation || !accesses_.may_touch(access, field, word)) continue;
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(access.inst);
    if (load) evidence.add(*load);
    if (!load || !keeps_owner(*load)) changes.push_back(id);
  }
  if (evidence.is_shared && !evidence.is_weak) known->second = std::move(changes);
  return known->second;
}

// In a frame of the thread, or in what it was given.
bool SharedOwners::is_of_thread(InstanceId instance, const llvm::Value* pointer) const {
  auto [known, is_new] = of_thread_.try_emplace({instance, pointer}, false);
  if (!is_new) return known->second;
  const OriginId origin = pointers_.origin_of(instance);
  auto is_own = [&](InstanceId in, const llvm::Value* value) {
    const auto* parameter = llvm::dyn_cast<llvm::Argument>(value);
    bool is_given = parameter && threads_.is_given_own_object(origin) &&
                    pointers_.instances()[in].function == pointers_.contexts().origin(origin).entry &&
                    pointers_.contexts()[pointers_.instances()[in].context].calls.empty();
    return is_given || llvm::isa<llvm::AllocaInst>(value);
  };
  return known->second = paths_->derivation(instance, pointer, is_own) == Derived::Directly;
}

bool SharedOwners::is_kept(InstanceId instance, const llvm::LoadInst& load, const Access& access,
                           const Objects& counts) const {
  const Memory& memory = pointers_.memory();
  const LocationSet& locations = pointers_.points_to(load.getPointerOperand(), instance);
  if (locations.count() != 1 || load.isAtomic()) return false;
  const Location& pointer = memory.at(static_cast<LocationId>(locations.find_first()));
  const Object& holder = memory[pointer.object];
  auto field = holder.fields.find(pointer.offset + word);
  if (field == holder.fields.end() || holder.kind == ObjectKind::Pool ||
      holder.layout.range_at(pointer.offset) || holder.layout.range_at(field->first))
    return false;
  LocationId owner = memory.find(field->second);
  const LocationSet& owned = pointers_.solver().points_to(memory.at(owner).content);
  if (owned.empty() || pointers_.known_to_unknown_code().test(owner)) return false;
  for (LocationId kept : owned)
    if (memory.at(kept).offset != 0 || !counts.contains(memory.object_of(kept))) return false;
  const std::optional<std::vector<AccessId>>& changes = changes_of(owner);
  if (!changes) return false;
  const OriginId thread = pointers_.origin_of(access.instance);
  const bool has_likes = threads_.may_run_together(thread, thread);
  if (has_likes && !is_of_thread(instance, load.getPointerOperand())) return false;
  return llvm::none_of(*changes, [&](AccessId id) {
    const Access& change = accesses_[id];
    const OriginId other = pointers_.origin_of(change.instance);
    if (other == thread)
      return (has_likes && !is_of_thread(change.instance, change.pointer)) ||
             may_be_changed_between(instance, load, change, access);
    if (!escape_.may_be_published(change)) return false; // another one, which nobody knows yet
    // A thread that this one creates and joins may do it in between.
    return threads_.descendants(thread).test(other) || threads_.may_happen_in_parallel(change, access);
  });
}

// The function that made the counts, or one that it calls, still has a reference of its own.
bool SharedOwners::is_held(InstanceId instance, const llvm::CallBase& allocation, const Access& access,
                           const Objects& counts) const {
  const LibraryFunction* function = library_function(allocation);
  if (!function || function->role != Role::Allocate) return false;
  const LocationSet& made = pointers_.points_to(&allocation, instance);
  if (made.count() != 1 ||
      !counts.contains(pointers_.memory().object_of(static_cast<LocationId>(made.find_first()))))
    return false;
  const std::set<const llvm::Instruction*> places = places_in(instance, access);
  return !places.empty() && llvm::none_of(places, [&](const llvm::Instruction* at) {
    return may_have_given_up(allocation, at);
  });
}

// The instructions of the instance during which the access may happen.
std::set<const llvm::Instruction*> SharedOwners::places_in(InstanceId instance, const Access& access) const {
  std::set<const llvm::Instruction*> places;
  std::set<InstanceId> seen;
  std::vector<InstanceId> work{access.instance};
  if (access.instance == instance) places.insert(access.inst);
  while (!work.empty()) {
    InstanceId id = work.back();
    work.pop_back();
    if (!seen.insert(id).second) continue;
    for (const Caller& caller : callers_->of(id)) {
      if (pointers_.origin_of(caller.instance) != pointers_.origin_of(id)) continue; // a new thread
      if (caller.instance == instance) places.insert(caller.site);
      work.push_back(caller.instance);
    }
  }
  return places;
}

bool SharedOwners::may_be_changed_between(InstanceId instance, const llvm::LoadInst& load,
                                          const Access& change, const Access& access) const {
  const std::set<const llvm::Instruction*> changed = places_in(instance, change),
                                           accessed = places_in(instance, access);
  if (accessed.empty()) return true;
  const llvm::Instruction* again = may_be_used_later(load) ? nullptr : &load;
  for (const llvm::Instruction* at : changed)
    for (const llvm::Instruction* use : accessed)
      if (at == use || (may_reach(&load, at, nullptr) && may_reach(at, use, again))) return true;
  return false;
}

} // namespace footrace::prove
