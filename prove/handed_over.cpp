#include "prove/handed_over.h"

#include "prove/local_lock.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <algorithm>

namespace footrace::prove {
namespace {

constexpr std::uint64_t word = sizeof(void*);
constexpr unsigned max_depth = 5; // of calls that are followed from an access to where its pointer comes from
constexpr unsigned max_hops = 3;  // from the record of a queue to its places: std::deque has a map of blocks

// Asks only whether there is something.
bool only_compares(const llvm::Instruction& inst) {
  return llvm::isa<llvm::LoadInst>(inst) &&
         llvm::all_of(inst.users(), [](const llvm::User* user) { return llvm::isa<llvm::ICmpInst>(user); });
}

// The pointer, and what is computed from it.
llvm::SmallVector<const llvm::Use*> uses_of(const llvm::Value* pointer) {
  llvm::SmallVector<const llvm::Use*> found;
  llvm::SmallPtrSet<const llvm::Value*, 16> seen;
  llvm::SmallVector<const llvm::Value*> work{pointer};
  while (!work.empty()) {
    const llvm::Value* value = work.pop_back_val();
    if (!seen.insert(value).second) continue;
    for (const llvm::Use& use : value->uses())
      if (llvm::isa<llvm::GetElementPtrInst, llvm::PHINode, llvm::SelectInst>(use.getUser()))
        work.push_back(use.getUser());
      else
        found.push_back(&use);
  }
  return found;
}

// What the pointer may be computed from, in its function.
llvm::SmallPtrSet<const llvm::Value*, 4> roots_of(const llvm::Value* pointer, const llvm::DataLayout& data) {
  llvm::SmallPtrSet<const llvm::Value*, 4> roots, seen;
  llvm::SmallVector<const llvm::Value*> work{pointer};
  while (!work.empty()) {
    const llvm::Value* root = address_of(work.pop_back_val(), data).root;
    if (!seen.insert(root).second || llvm::isa<llvm::ConstantPointerNull>(root)) continue;
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(root))
      work.append(phi->value_op_begin(), phi->value_op_end());
    else if (const auto* choice = llvm::dyn_cast<llvm::SelectInst>(root))
      work.append({choice->getTrueValue(), choice->getFalseValue()});
    else
      roots.insert(root);
  }
  return roots;
}

// Some call between the two may give a lock back.
bool may_release_between(const llvm::Instruction& from, const llvm::Instruction& to) {
  for (const llvm::Instruction& inst : llvm::instructions(*from.getFunction())) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst);
    if (!call || llvm::isa<llvm::IntrinsicInst>(call)) continue;
    const LibraryFunction* known = library_function(*call);
    if (known && known->role != Role::Unlock && known->role != Role::Wait) continue;
    if (may_reach(&from, call, nullptr) && may_reach(call, &to, nullptr)) return true;
  }
  return false;
}

} // namespace

HandedOver::HandedOver(const PointsTo& pointers, const Accesses& accesses, const Threads& threads,
                       const Escape& escape, const Locks& locks)
    : pointers_(pointers), accesses_(accesses), threads_(threads), escape_(escape), locks_(locks),
      callers_(pointers) {
  find_holders();
  find_objects();
  find_putters();
}

void HandedOver::find_holders() {
  const Memory& memory = pointers_.memory();
  for (ObjectId id = 0; id < memory.object_count(); id++) {
    if (!escape_.may_escape(id)) continue;
    for (auto [offset, field] : memory[id].fields)
      for (LocationId kept : pointers_.solver().points_to(memory.at(field).content))
        holders_[memory.object_of(kept)].set(memory.find(field));
  }
  for (AccessId id = 0; id < accesses_.all().size(); id++) {
    Objects touched;
    for (LocationId location : accesses_.locations(id)) touched.insert(memory.object_of(location));
    for (ObjectId object : touched)
      if (escape_.may_escape(object)) users_[object].push_back(id);
  }
}

HandedOver::Objects HandedOver::given_to_threads() const {
  const Memory& memory = pointers_.memory();
  Objects given;
  auto add = [&](const LocationSet& locations) {
    for (LocationId location : locations) given.insert(memory.object_of(location));
  };
  for (InstanceId id = 0; id < pointers_.instances().size(); id++) {
    const Context& context = pointers_.contexts()[pointers_.instances()[id].context];
    if (context.origin == main_origin || !context.calls.empty()) continue;
    for (const llvm::Argument& argument : pointers_.instances()[id].function->args())
      add(pointers_.points_to(&argument, id));
  }
  add(pointers_.thread_results());
  add(pointers_.known_to_unknown_code());
  return given;
}

void HandedOver::find_objects() {
  const Memory& memory = pointers_.memory();
  const Objects given = given_to_threads();
  for (const auto& [object, places] : holders_)
    if (memory[object].kind == ObjectKind::Heap && escape_.may_escape(object) && !given.contains(object))
      objects_.insert(object);
  while (std::erase_if(objects_, [&](ObjectId object) { return may_be_learned_of_otherwise(object); }) > 0) {
  }
}

bool HandedOver::may_be_learned_of_otherwise(ObjectId object) const {
  for (LocationId place : holders_.at(object))
    if (!objects_.contains(pointers_.memory().object_of(place)) && !lock_of(place)) return true;
  return false;
}

std::optional<LocationId> HandedOver::lock_of(LocationId place) const {
  auto [known, is_new] = locks_of_.try_emplace(place);
  if (is_new) known->second = find_lock(place);
  return known->second;
}

bool HandedOver::holds(const Access& access, LocationId lock) const {
  return llvm::any_of(locks_.held(access.instance, access.inst), [&](const HeldLock& held) {
    return held.single == lock && !held.is_shared && !held.is_done;
  });
}

// Nobody else may use the place at the same time: it is made, or destroyed.
bool HandedOver::is_alone(const Access& access, llvm::ArrayRef<AccessId> users, LocationId place) const {
  if (access.kind == AccessKind::Allocation || !escape_.may_be_published(access)) return true;
  return llvm::none_of(users, [&](AccessId id) {
    return accesses_.may_touch(accesses_[id], place, word) &&
           threads_.may_happen_in_parallel(access, accesses_[id]);
  });
}

std::optional<LocationId> HandedOver::find_lock(LocationId place) const {
  auto found = users_.find(pointers_.memory().object_of(place));
  if (found == users_.end()) return std::nullopt;
  std::optional<std::set<LocationId>> common;
  std::vector<const Access*> reads;
  for (AccessId id : found->second) {
    const Access& access = accesses_[id];
    if (!accesses_.may_touch(access, place, word) || is_alone(access, found->second, place)) continue;
    std::set<LocationId> held;
    for (const HeldLock& lock : locks_.held(access.instance, access.inst))
      if (lock.single && !lock.is_shared && !lock.is_done && (!common || common->contains(*lock.single)))
        held.insert(*lock.single);
    common = std::move(held);
    if (common->empty()) return std::nullopt;
    if (access.kind == AccessKind::Read && !only_compares(*access.inst)) reads.push_back(&access);
  }
  if (!common) return std::nullopt;
  for (LocationId lock : *common)
    if (llvm::all_of(reads, [&](const Access* read) { return takes_out(*read, lock); })) return lock;
  return std::nullopt;
}

// Under the lock, the function that reads the place also writes it, or what leads to it.
bool HandedOver::takes_out(const Access& read, LocationId lock) const {
  Objects queue, next;
  for (LocationId location : accesses_.locations(read)) next.insert(pointers_.memory().object_of(location));
  for (unsigned hop = 0; hop < max_hops; hop++) {
    Objects before;
    for (ObjectId object : next)
      if (auto held = holders_.find(object); queue.insert(object).second && held != holders_.end())
        for (LocationId place : held->second) before.insert(pointers_.memory().object_of(place));
    next = std::move(before);
  }
  return llvm::any_of(queue, [&](ObjectId object) {
    auto users = users_.find(object);
    return users != users_.end() && llvm::any_of(users->second, [&](AccessId id) {
             const Access& access = accesses_[id];
             return access.instance == read.instance && access.kind == AccessKind::Write &&
                    holds(access, lock);
           });
  });
}

void HandedOver::find_putters() {
  auto is_place = [&](LocationId at) {
    auto known = locks_of_.find(pointers_.memory().find(at));
    return known != locks_of_.end() && known->second;
  };
  std::vector<InstanceId> work;
  for (const Access& access : accesses_.all())
    if (access.kind == AccessKind::Write)
      for (LocationId at : accesses_.locations(access))
        if (is_place(at)) work.push_back(access.instance);
  while (!work.empty()) {
    const InstanceId id = work.back();
    work.pop_back();
    if (!putters_.insert(id).second) continue;
    for (const Caller& caller : callers_.of(id))
      if (pointers_.origin_of(caller.instance) == pointers_.origin_of(id)) work.push_back(caller.instance);
  }
}

bool HandedOver::may_put(InstanceId instance, const llvm::Use& use) const {
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(use.getUser())) {
    if (use.get() != store->getValueOperand()) return false;
    for (LocationId at : pointers_.points_to(store->getPointerOperand(), instance))
      if (escape_.may_escape(pointers_.memory().object_of(at))) return true;
    return false;
  }
  const auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
  return call && llvm::any_of(pointers_.callees(instance, call),
                              [&](InstanceId callee) { return putters_.contains(callee); });
}

// `at` is the access, or a call that leads to it. In the critical section in which it was put nobody can have taken it yet.
bool HandedOver::may_be_put_before(InstanceId instance, const llvm::Value* pointer,
                                   const llvm::Instruction* at, bool is_locked, unsigned depth) const {
  for (const llvm::Value* root : roots_of(pointer, pointers_.module().getDataLayout())) {
    const auto* made = llvm::dyn_cast<llvm::Instruction>(root);
    const auto* parameter = llvm::dyn_cast<llvm::Argument>(root);
    if (!made && !parameter) return true;
    for (const llvm::Use* use : uses_of(root)) {
      const auto* put = llvm::cast<llvm::Instruction>(use->getUser());
      if (put == at || !may_put(instance, *use) || !may_reach(put, at, made)) continue;
      if (!is_locked || may_release_between(*put, *at)) return true;
    }
    if (!parameter) continue;
    if (depth == 0 || callers_.of(instance).empty()) return true;
    for (const Caller& caller : callers_.of(instance))
      if (!caller.passes_arguments || parameter->getArgNo() >= caller.site->arg_size() ||
          may_be_put_before(caller.instance, caller.site->getArgOperand(parameter->getArgNo()), caller.site,
                            is_locked, depth - 1))
        return true;
  }
  return false;
}

bool HandedOver::must_be_ordered(const Access& a, const Access& b) const {
  const Objects common = common_objects(pointers_, accesses_, a, b);
  if (common.empty() || !std::ranges::includes(objects_, common)) return false;
  auto is_locked = [&](const Access& access) {
    for (ObjectId object : common)
      for (LocationId place : holders_.at(object))
        if (std::optional<LocationId> lock = lock_of(place); lock && holds(access, *lock)) return true;
    return false;
  };
  return llvm::none_of(std::initializer_list<const Access*>{&a, &b}, [&](const Access* access) {
    return may_be_put_before(access->instance, access->pointer, access->inst, is_locked(*access), max_depth);
  });
}

} // namespace footrace::prove
