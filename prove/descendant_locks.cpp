#include "prove/descendant_locks.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace footrace::prove {

DescendantLocks::DescendantLocks(const PointsTo& pointers, const Executions& executions,
                                 const Threads& threads, const Locks& locks,
                                 const CreationLocks& creation_locks)
    : pointers_(pointers), executions_(executions), threads_(threads), locks_(locks),
      creation_locks_(creation_locks) {
  Events events;
  for (InstanceId id = 0; id < pointers.instances().size(); id++)
    for (const llvm::Instruction& inst : llvm::instructions(*pointers.instances()[id].function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst);
          call && !llvm::isa<llvm::IntrinsicInst>(call))
        collect(id, *call, events);
  if (!taken_.empty()) history_.emplace(pointers, std::move(events));
}

void DescendantLocks::collect(InstanceId instance, const llvm::CallBase& call, Events& events) {
  auto release = [&](LocationSet locks) {
    events.at[{instance, &call}].set(static_cast<unsigned>(2 * releases_.size()));
    releases_.push_back({instance, &call, std::move(locks)});
  };
  llvm::ArrayRef<const LibraryFunction*> functions = pointers_.library_callees(instance, &call);
  if (functions.empty() && pointers_.callees(instance, &call).empty()) release({});
  for (const LibraryFunction* function : functions) {
    const LocationSet* lock =
        call.arg_size() ? &pointers_.points_to(call.getArgOperand(0), instance) : nullptr;
    if (function->role == Role::Wait || function->role == Role::UnlockVerifier) release({});
    if (function->role == Role::Unlock || function->role == Role::UnlockGuard) release(*lock);
    // A lock that may fail says nothing.
    bool is_taken = (function->role == Role::Lock || function->role == Role::LockShared) &&
                    call.use_empty() && lock->count() == 1 &&
                    pointers_.certain_library_callee(instance, &call) == function;
    if (!is_taken) continue;
    auto location = static_cast<LocationId>(lock->find_first());
    if (!executions_.is_single_location(location)) continue;
    unsigned number = taken_.try_emplace(location, static_cast<unsigned>(taken_.size())).first->second;
    events.at[{instance, &call}].set(2 * number + 1);
  }
}

// The holder has not released the lock since it created the child.
bool DescendantLocks::is_kept(const Hold& hold, OriginId child) const {
  OriginId holder = pointers_.origin_of(hold.instance);
  for (const Spawn& spawn : threads_.creations(child)) {
    if (pointers_.origin_of(spawn.creator) != holder) return false;
    bool is_held = llvm::any_of(locks_.held(spawn.creator, spawn.site), [&](const HeldLock& held) {
      return held.single == hold.lock && !held.is_shared;
    });
    if (!is_held) return false;
  }
  for (unsigned mark : history_->may_before(hold.instance, hold.inst)) {
    if (mark % 2) continue;
    const Release& release = releases_[mark / 2];
    if ((release.locks.empty() || release.locks.test(hold.lock)) &&
        threads_.live(release.instance, release.call).test(child))
      return false;
  }
  return true;
}

bool DescendantLocks::is_created_by(OriginId thread, OriginId creator) const {
  return llvm::any_of(threads_.creations(thread),
                      [&](const Spawn& spawn) { return pointers_.origin_of(spawn.creator) == creator; });
}

// The thread, or one that created it and was itself created by the holder, has taken the lock.
bool DescendantLocks::must_have_taken(LocationId lock, InstanceId instance, const llvm::Instruction* inst,
                                      OriginId holder, std::set<OriginId>& seen) const {
  OriginId thread = pointers_.origin_of(instance);
  if (thread == holder || thread == main_origin) return false;
  if (auto number = taken_.find(lock); number == taken_.end())
    return false;
  else if (history_->must_before(instance, inst).test(2 * number->second + 1))
    return true;
  if (!seen.insert(thread).second || threads_.creations(thread).empty()) return false;
  return llvm::all_of(threads_.creations(thread), [&](const Spawn& spawn) {
    return must_have_taken(lock, spawn.creator, spawn.site, holder, seen);
  });
}

// Where the holder creates the thread, or the thread that creates it, and so on.
void DescendantLocks::add_creations(OriginId thread, const CreationLocks::Guard& guard,
                                    std::set<OriginId>& seen, std::vector<Hold>& holds) const {
  if (!seen.insert(thread).second) return;
  for (const Spawn& spawn : threads_.creations(thread)) {
    if (pointers_.origin_of(spawn.creator) == guard.holder)
      holds.push_back({guard.lock, spawn.creator, spawn.site});
    else
      add_creations(pointers_.origin_of(spawn.creator), guard, seen, holds);
  }
}

// Locks that are held at the access, by its thread or for it, each with a point of the holder.
std::vector<DescendantLocks::Hold> DescendantLocks::holds_over(const Access& access) const {
  std::vector<Hold> holds;
  for (const HeldLock& lock : locks_.held(access.instance, access.inst))
    if (lock.single && !lock.is_shared && !lock.is_word)
      holds.push_back({*lock.single, access.instance, access.inst});
  OriginId thread = pointers_.origin_of(access.instance);
  for (const CreationLocks::Guard& guard : creation_locks_.of(thread)) {
    std::set<OriginId> seen;
    std::vector<Hold> creations;
    add_creations(thread, guard, seen, creations);
    if (creations.size() == 1) holds.push_back(creations[0]);
  }
  return holds;
}

bool DescendantLocks::must_end_before(const Hold& hold, const Access& b) const {
  OriginId holder = pointers_.origin_of(hold.instance), thread = pointers_.origin_of(b.instance);
  if (!threads_.descendants(holder).test(thread) || threads_.may_run_together(holder, holder) ||
      threads_.may_run_together(holder, thread))
    return false;
  std::set<OriginId> seen;
  if (!must_have_taken(hold.lock, b.instance, b.inst, holder, seen)) return false;
  // Every child of the holder through which the other thread may have come.
  for (OriginId child : threads_.descendants(holder))
    if (is_created_by(child, holder) && (child == thread || threads_.descendants(child).test(thread)) &&
        !is_kept(hold, child))
      return false;
  return true;
}

bool DescendantLocks::must_precede(const Access& a, const Access& b) const {
  return history_ && llvm::any_of(holds_over(a), [&](const Hold& hold) { return must_end_before(hold, b); });
}

} // namespace footrace::prove
