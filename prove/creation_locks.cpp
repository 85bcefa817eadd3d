#include "prove/creation_locks.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace footrace::prove {

CreationLocks::CreationLocks(const PointsTo& pointers, const Threads& threads, const Locks& locks)
    : pointers_(pointers), threads_(threads), locks_(locks) {
  collect_releases();
  solve();
}

void CreationLocks::collect_releases() {
  for (InstanceId id = 0; id < pointers_.instances().size(); id++)
    for (const llvm::Instruction& inst : llvm::instructions(*pointers_.instances()[id].function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst);
          call && !llvm::isa<llvm::IntrinsicInst>(call))
        add_release(id, *call);
}

// A wait releases the lock for a while; unknown code may do anything.
void CreationLocks::add_release(InstanceId instance, const llvm::CallBase& call) {
  OriginId holder = pointers_.origin_of(instance);
  llvm::ArrayRef<const LibraryFunction*> functions = pointers_.library_callees(instance, &call);
  if (functions.empty() && pointers_.callees(instance, &call).empty())
    at_any_release_[holder] |= threads_.live(instance, &call);
  for (const LibraryFunction* function : functions) {
    if (function->role == Role::Wait || function->role == Role::UnlockVerifier)
      at_any_release_[holder] |= threads_.live(instance, &call);
    if (function->role != Role::Unlock && function->role != Role::UnlockGuard) continue;
    const LocationSet& released = pointers_.points_to(call.getArgOperand(0), instance);
    if (released.empty()) at_any_release_[holder] |= threads_.live(instance, &call);
    for (LocationId lock : released) at_release_[{holder, lock}] |= threads_.live(instance, &call);
  }
}

bool CreationLocks::may_outlive(OriginId thread, const Guard& guard) const {
  auto any = at_any_release_.find(guard.holder);
  if (any != at_any_release_.end() && any->second.test(thread)) return true;
  auto found = at_release_.find({guard.holder, guard.lock});
  return found != at_release_.end() && found->second.test(thread);
}

CreationLocks::Guards CreationLocks::at_creation(OriginId thread, const Spawn& spawn) const {
  OriginId creator = pointers_.origin_of(spawn.creator);
  Guards guards;
  if (guards_[creator]) guards = *guards_[creator];
  for (const HeldLock& lock : locks_.held(spawn.creator, spawn.site))
    if (lock.single && !lock.is_shared && !lock.is_word) guards.insert({*lock.single, creator});
  std::erase_if(guards, [&](const Guard& guard) { return may_outlive(thread, guard); });
  return guards;
}

// What holds for every creation of the thread, found from above.
void CreationLocks::solve() {
  guards_.resize(pointers_.contexts().origin_count());
  guards_[main_origin] = Guards();
  bool changed = true;
  while (changed) {
    changed = false;
    for (OriginId thread = 1; thread < guards_.size(); thread++)
      for (const Spawn& spawn : threads_.creations(thread)) {
        if (!guards_[pointers_.origin_of(spawn.creator)]) continue;
        Guards now = at_creation(thread, spawn);
        if (!guards_[thread]) {
          guards_[thread] = now;
          changed = true;
        } else {
          changed |=
              std::erase_if(*guards_[thread], [&](const Guard& known) { return !now.contains(known); }) > 0;
        }
      }
  }
}

CreationLocks::Guards CreationLocks::guards_of(const Access& access) const {
  OriginId thread = pointers_.origin_of(access.instance);
  Guards guards = of(thread);
  for (const HeldLock& lock : locks_.held(access.instance, access.inst))
    if (lock.single && !lock.is_done) guards.insert({*lock.single, thread, lock.is_shared});
  return guards;
}

bool CreationLocks::must_exclude(const Access& a, const Access& b) const {
  Guards one = guards_of(a), two = guards_of(b);
  for (const Guard& first : one)
    for (const Guard& second : two)
      if (first.lock == second.lock && first.holder != second.holder &&
          !(first.is_shared && second.is_shared))
        return true;
  return false;
}

} // namespace footrace::prove
