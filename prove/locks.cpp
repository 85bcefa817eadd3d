#include "prove/locks.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <pthread.h>

namespace footrace::prove {
namespace {

bool intersects(const LocationSet& a, const LocationSet& b) { return a.intersects(b); }

bool is_lock_call(const llvm::Instruction& inst) {
  return llvm::isa<llvm::CallBase>(inst) && !llvm::isa<llvm::IntrinsicInst>(inst);
}

} // namespace

Locks::Locks(const PointsTo& pointers, const Accesses& accesses, const Executions& executions,
             const Equalities& equalities, const LockWords& words)
    : pointers_(pointers), accesses_(accesses), executions_(executions), equalities_(equalities),
      words_(words) {
  std::size_t count = pointers.instances().size();
  entries_.resize(count);
  exits_.resize(count);
  thrown_.resize(count);
  released_.resize(count);
  waiting_.resize(static_cast<unsigned>(count));
  find_callers();
  if (pointers.main_instance()) {
    entries_[*pointers.main_instance()] = LockSet();
    waiting_.set(*pointers.main_instance());
  }
  while (waiting_.any())
    for (int id = waiting_.find_first(); id != -1; id = waiting_.find_next(static_cast<unsigned>(id))) {
      waiting_.reset(static_cast<unsigned>(id));
      if (!entries_[static_cast<InstanceId>(id)] || !flow(static_cast<InstanceId>(id))) continue;
      for (InstanceId caller : callers_[static_cast<InstanceId>(id)]) waiting_.set(caller);
    }
}

void Locks::find_callers() {
  callers_.resize(pointers_.instances().size());
  for (InstanceId caller = 0; caller < pointers_.instances().size(); caller++)
    for (const llvm::Instruction& inst : llvm::instructions(*pointers_.instances()[caller].function))
      if (is_lock_call(inst))
        for (InstanceId callee : pointers_.callees(caller, llvm::cast<llvm::CallBase>(&inst)))
          if (callers_[callee].empty() || callers_[callee].back() != caller)
            callers_[callee].push_back(caller);
}

HeldLock Locks::lock_at(InstanceId instance, const llvm::Value* pointer, bool is_shared) const {
  HeldLock lock;
  lock.locations = pointers_.points_to(pointer, instance);
  lock.is_shared = is_shared;
  if (lock.locations.count() == 1) {
    auto location = static_cast<LocationId>(lock.locations.find_first());
    if (executions_.is_single_location(location)) lock.single = location;
  }
  lock.address = address_of(pointer, pointers_.module().getDataLayout(), equalities_, instance);
  return lock;
}

void Locks::acquire(const HeldLock& lock, LockSet& state) const {
  for (const HeldLock& held : state)
    if (held.same_lock(lock)) return;
  state.push_back(lock);
}

void Locks::acquire(InstanceId instance, const llvm::Value* pointer, bool is_shared, LockSet& state) const {
  acquire(lock_at(instance, pointer, is_shared), state);
}

void Locks::acquire_word(InstanceId instance, const llvm::Value* pointer, LockSet& state) const {
  HeldLock lock = lock_at(instance, pointer, false);
  lock.is_word = true;
  acquire(lock, state);
}

// The program looked, and the lock was not taken. What a caller holds is still held.
void Locks::forget_failed(const HeldLock& lock, LockSet& state) {
  std::erase_if(state, [&](const HeldLock& held) { return !held.is_inherited && held.same_lock(lock); });
}

// An address that is certain releases that lock and no other; otherwise every lock that it may be.
void Locks::release(InstanceId instance, const llvm::Value* pointer, LockSet& state, bool is_recording) {
  HeldLock lock = lock_at(instance, pointer, false);
  bool is_exact = false, is_own = false;
  std::erase_if(state, [&](const HeldLock& held) {
    bool same = lock.single ? held.single == lock.single : !held.single && held.address == lock.address;
    if (same) is_exact = true, is_own |= !held.is_inherited;
    return same;
  });
  if (!is_exact)
    std::erase_if(state, [&](const HeldLock& held) {
      return lock.locations.empty() || intersects(held.locations, lock.locations);
    });
  if (!is_recording || is_own) return;
  released_[instance].locations |= lock.locations;
  released_[instance].anything |= lock.locations.empty();
}

bool Locks::apply(InstanceId instance, const llvm::Instruction& inst, LockSet& state, bool is_recording,
                  Way way) {
  // A new value for the root: the lock that was known by the old one is still held, but nothing names it any more.
  for (HeldLock& held : state)
    if (held.address.root == &inst) held.address = {};
  std::erase_if(state, [](const HeldLock& held) { return !held.single && !held.address.root; });
  if (const llvm::Value* word = words_.given_back_by(instance, inst))
    release(instance, word, state, is_recording);
  return !is_lock_call(inst) || call(instance, llvm::cast<llvm::CallBase>(inst), state, is_recording, way);
}

// What may be released is, but only what is certain to be taken.
void Locks::call_library(InstanceId instance, const llvm::CallBase& call, LockSet& state, bool is_recording,
                         Way way) {
  for (const LibraryFunction* function : pointers_.library_callees(instance, &call)) {
    if (function->role == Role::Unlock || function->role == Role::UnlockGuard)
      release(instance, call.getArgOperand(0), state, is_recording);
    if (function->role == Role::LockVerifier || function->role == Role::UnlockVerifier)
      std::erase_if(state, [&](const HeldLock& held) { return held.single == pointers_.verifier_lock(); });
  }
  const LibraryFunction* certain = pointers_.certain_library_callee(instance, &call);
  if (!certain || way == Way::Throws) return;
  if (const llvm::Value* word = words_.taken_by(instance, call)) acquire_word(instance, word, state);
  if (certain->role == Role::Lock || certain->role == Role::LockShared)
    acquire(instance, call.getArgOperand(0), certain->role == Role::LockShared, state);
  if (certain->name == "__cxa_guard_release") done(instance, call.getArgOperand(0), state);
  if (certain->role != Role::LockVerifier) return;
  HeldLock lock;
  lock.single = pointers_.verifier_lock();
  lock.locations.set(*lock.single);
  state.push_back(lock);
}

void Locks::without_released(LockSet& state, InstanceId callee) const {
  std::erase_if(state, [&](const HeldLock& held) {
    return released_[callee].anything || intersects(held.locations, released_[callee].locations);
  });
}

bool Locks::call(InstanceId instance, const llvm::CallBase& call, LockSet& state, bool is_recording,
                 Way way) {
  call_library(instance, call, state, is_recording, way);
  if (is_recording) start(call, instance, state);
  llvm::ArrayRef<InstanceId> callees = pointers_.callees(instance, &call);
  if (callees.empty()) return true;
  State after;
  LockSet before = state, inside = state;
  std::optional<HeldLock> once = once_control(instance, call);
  if (once) acquire(*once, inside);
  if (pointers_.may_call_back_often(instance, &call))
    for (InstanceId callee : callees) without_released(inside, callee); // an earlier one may have released it
  bool is_certain = pointers_.library_callees(instance, &call).empty();
  if (!is_certain) after = before; // a callback may run, or not
  for (InstanceId callee : callees) {
    if (is_recording && enter(instance, call, callee, is_certain, inside)) waiting_.set(callee);
    if (is_recording) {
      released_[instance].locations |= released_[callee].locations;
      released_[instance].anything |= released_[callee].anything;
    }
    const State& left = (way == Way::Returns ? exits_ : thrown_)[callee];
    if (!left) continue;
    LockSet result = before;
    without_released(result, callee);
    for (const HeldLock& lock : left_by(instance, call, *left)) acquire(lock, result);
    meet(after, result);
  }
  if (after) state = *after;
  if (once && way == Way::Returns) done(instance, call.getArgOperand(0), state);
  return after.has_value();
}

// The caller's locks, as the callee can name them.
bool Locks::enter(InstanceId caller, const llvm::CallBase& call, InstanceId callee, bool is_plain_call,
                  const LockSet& state) {
  const llvm::DataLayout& data = pointers_.module().getDataLayout();
  const llvm::Function& function = *pointers_.instances()[callee].function;
  LockSet passed;
  for (HeldLock lock : state) {
    lock.is_inherited = true;
    const llvm::Value* root = lock.address.root;
    if (root && !llvm::isa<llvm::Constant>(root)) {
      Address renamed;
      for (unsigned i = 0; is_plain_call && i < call.arg_size() && i < function.arg_size(); i++) {
        Address actual = address_of(call.getArgOperand(i), data, equalities_, caller);
        if (actual.root == root) renamed = {function.getArg(i), lock.address.offset - actual.offset};
      }
      lock.address = renamed;
    }
    if (lock.single || lock.address.root) passed.push_back(lock);
  }
  return meet(entries_[callee], passed);
}

// Locks that the callee took and still holds, as the caller can name them.
LockSet Locks::left_by(InstanceId caller, const llvm::CallBase& call, const LockSet& held) const {
  const llvm::DataLayout& data = pointers_.module().getDataLayout();
  LockSet left;
  for (HeldLock lock : held) {
    if (lock.is_inherited) continue;
    if (lock.address.root && !llvm::isa<llvm::Constant>(lock.address.root)) {
      const auto* parameter = llvm::dyn_cast<llvm::Argument>(lock.address.root);
      bool is_passed = parameter && parameter->getArgNo() < call.arg_size();
      if (!is_passed && !lock.single) continue;
      Address actual;
      if (is_passed)
        actual = address_of(call.getArgOperand(parameter->getArgNo()), data, equalities_, caller);
      lock.address = {actual.root, actual.root ? actual.offset + lock.address.offset : 0};
    }
    left.push_back(lock);
  }
  return left;
}

bool Locks::meet(State& into, const LockSet& from) {
  if (!into) {
    into = from;
    return true;
  }
  std::size_t before = into->size();
  std::erase_if(*into, [&](const HeldLock& held) {
    return llvm::none_of(from, [&](const HeldLock& other) { return other.same_lock(held); });
  });
  bool changed = into->size() != before;
  for (HeldLock& held : *into)
    for (const HeldLock& other : from) {
      if (other.same_lock(held) && held.address.root && other.address != held.address) {
        held.address = {};
        changed = true;
      }
      if (other.same_lock(held) && other.is_inherited && !held.is_inherited)
        held.is_inherited = changed = true;
    }
  return changed;
}

ZeroTest zero_test(const llvm::BasicBlock& block) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) return {};
  // Follow the condition back; `truth`: the true edge means a value that is not zero.
  const llvm::Value* value = branch->getCondition();
  bool truth = true;
  while (true) {
    if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(value)) {
      const auto* zero = llvm::dyn_cast<llvm::Constant>(compare->getOperand(1));
      if (!compare->isEquality() || !zero || !zero->isNullValue()) return {};
      if (compare->getPredicate() == llvm::CmpInst::ICMP_EQ) truth = !truth;
      value = compare->getOperand(0);
    } else if (llvm::isa<llvm::ZExtInst, llvm::SExtInst, llvm::TruncInst, llvm::FreezeInst>(value)) {
      value = llvm::cast<llvm::Instruction>(value)->getOperand(0);
    } else if (const auto* flip = llvm::dyn_cast<llvm::BinaryOperator>(value)) {
      const auto* one = llvm::dyn_cast<llvm::ConstantInt>(flip->getOperand(1));
      if (flip->getOpcode() != llvm::Instruction::Xor || !one || !one->isOne()) return {};
      truth = !truth;
      value = flip->getOperand(0);
    } else {
      break;
    }
  }
  return {value, branch->getSuccessor(truth ? 1 : 0), branch->getSuccessor(truth ? 0 : 1)};
}

// The lock call whose result decides the branch at the end of the block, with nothing in between.
static const llvm::CallBase* deciding_call(const llvm::BasicBlock& block, const llvm::Value* value) {
  const auto* call = llvm::dyn_cast_or_null<llvm::CallBase>(value);
  if (!call || call->getParent() != &block) return nullptr;
  for (const llvm::Instruction* inst = call->getNextNode(); inst; inst = inst->getNextNode())
    if (is_lock_call(*inst)) return nullptr;
  return call;
}

// The first byte of a guard says that the variable has been initialised.
static bool is_guard_read(const llvm::Value* value) {
  const auto* load = llvm::dyn_cast_or_null<llvm::LoadInst>(value);
  return load && llvm::isAcquireOrStronger(load->getOrdering()) &&
         llvm::isa<llvm::GlobalVariable>(load->getPointerOperand()) &&
         load->getPointerOperand()->getName().starts_with("_ZGV");
}

void Locks::take_branch(InstanceId instance, const llvm::BasicBlock& from, const llvm::BasicBlock* to,
                        LockSet& state) const {
  ZeroTest test = zero_test(from);
  bool is_zero = to == test.zero;
  if (!is_zero && is_guard_read(test.value))
    done(instance, llvm::cast<llvm::LoadInst>(test.value)->getPointerOperand(), state);
  if (const llvm::Value* word = words_.taken_along(instance, from, to)) acquire_word(instance, word, state);
  const llvm::CallBase* call = deciding_call(from, test.value);
  if (!call) return;
  for (const LibraryFunction* function : pointers_.library_callees(instance, call)) {
    const llvm::Value* lock = call->arg_size() ? call->getArgOperand(0) : nullptr;
    if (!is_zero && (function->role == Role::Lock || function->role == Role::LockShared))
      forget_failed(lock_at(instance, lock, function->role == Role::LockShared), state);
    if (function != pointers_.certain_library_callee(instance, call)) continue;
    if (is_zero && (function->role == Role::TryLock || function->role == Role::TryLockShared))
      acquire(instance, lock, function->role == Role::TryLockShared, state);
    if (!is_zero && function->role == Role::LockGuard) acquire(instance, lock, false, state);
    if (is_zero && function->role == Role::LockGuard) done(instance, lock, state);
  }
}

bool Locks::is_written(LocationId location) const {
  return llvm::any_of(accesses_.all(), [&](const Access& access) {
    return access.may_write() && accesses_.may_touch(access, location, sizeof(pthread_once_t)) &&
           !words_.makes(access);
  });
}

// Nothing if it is not certain which control it is, or if the program resets it.
std::optional<HeldLock> Locks::once_control(InstanceId instance, const llvm::CallBase& call) const {
  const LibraryFunction* function = pointers_.certain_library_callee(instance, &call);
  if (!function || function->role != Role::Once) return std::nullopt;
  HeldLock control = lock_at(instance, call.getArgOperand(0), false);
  return control.single && !is_written(*control.single) ? std::optional(control) : std::nullopt;
}

void Locks::done(InstanceId instance, const llvm::Value* pointer, LockSet& state) const {
  HeldLock lock = lock_at(instance, pointer, true);
  if (!lock.single) return;
  lock.is_done = true;
  acquire(lock, state);
}

// A new thread holds nothing, but comes after what its creator has waited for.
void Locks::start(const llvm::CallBase& call, InstanceId creator, const LockSet& state) {
  LockSet known;
  for (const HeldLock& lock : state)
    if (lock.is_done) known.push_back(lock);
  for (InstanceId entry : pointers_.spawned(creator, &call))
    if (meet(entries_[entry], known)) waiting_.set(entry);
}

Locks::State Locks::flow_through(InstanceId instance, const llvm::BasicBlock& block, bool& changed) {
  State state = blocks_[{instance, &block}];
  if (!state) return state;
  for (const llvm::Instruction& inst : block) {
    if (may_throw_out(inst))
      if (LockSet thrown = *state; apply(instance, inst, thrown, true, Way::Throws))
        changed |= meet(thrown_[instance], thrown);
    if (!inst.isTerminator() && !apply(instance, inst, *state, true)) return std::nullopt;
  }
  if (std::optional<Way> way = way_out(block))
    changed |= meet((*way == Way::Returns ? exits_ : thrown_)[instance], *state);
  return state;
}

bool Locks::flow(InstanceId instance) {
  const llvm::Function& function = *pointers_.instances()[instance].function;
  Released before = released_[instance];
  bool changed = false;
  meet(blocks_[{instance, &function.getEntryBlock()}], *entries_[instance]);
  bool again = true;
  while (again) {
    again = false;
    for (const llvm::BasicBlock& block : function) {
      const State state = flow_through(instance, block, changed);
      if (!state) continue;
      for (const llvm::BasicBlock* next : llvm::successors(&block)) {
        LockSet taken = *state;
        if (!apply(instance, *block.getTerminator(), taken, true, way_to(block, next))) continue;
        take_branch(instance, block, next, taken);
        again |= meet(blocks_[{instance, next}], taken);
      }
    }
  }
  return changed || released_[instance].anything != before.anything ||
         !(released_[instance].locations == before.locations);
}

LockSet Locks::held(InstanceId instance, const llvm::Instruction* inst) const {
  auto found = blocks_.find({instance, inst->getParent()});
  if (found == blocks_.end() || !found->second) return {};
  LockSet state = *found->second;
  for (const llvm::Instruction& before : *inst->getParent()) {
    if (&before == inst) break;
    const_cast<Locks*>(this)->apply(instance, before, state, false);
  }
  return state;
}

bool Locks::must_hold(InstanceId instance, const llvm::Instruction* inst, const llvm::Value* lock) const {
  HeldLock wanted = lock_at(instance, lock, false);
  return llvm::any_of(held(instance, inst), [&](const HeldLock& held) { return held.same_lock(wanted); });
}

} // namespace footrace::prove
