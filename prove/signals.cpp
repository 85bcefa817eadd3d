#include "prove/signals.h"

#include "prove/semaphores.h"
#include "prove/threads.h"

#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace footrace::prove {
namespace {

constexpr std::uint64_t flag_size = 8; // at most

std::set<LocationId> single_locks(const LockSet& held, bool with_shared) {
  std::set<LocationId> locks;
  for (const HeldLock& lock : held)
    if (lock.single && !lock.is_done && (with_shared || !lock.is_shared)) locks.insert(*lock.single);
  return locks;
}

bool may_acquire(const llvm::LoadInst& load) { return llvm::isAcquireOrStronger(load.getOrdering()); }

bool must_release(const llvm::Instruction& inst) {
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst))
    return llvm::isReleaseOrStronger(store->getOrdering());
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&inst))
    return llvm::isReleaseOrStronger(update->getOrdering());
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&inst))
    return llvm::isReleaseOrStronger(exchange->getSuccessOrdering());
  return false;
}

bool stores_zero(const llvm::Instruction& inst) {
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst);
  const auto* value = store ? llvm::dyn_cast<llvm::Constant>(store->getValueOperand()) : nullptr;
  return value && value->isNullValue();
}

} // namespace

Signals::Signals(const PointsTo& pointers, const Accesses& accesses, const Executions& executions,
                 const Locks& locks)
    : pointers_(pointers), accesses_(accesses), executions_(executions), locks_(locks),
      is_one_thread_(pointers.contexts().origin_count(), true) {
  for (OriginId id = main_origin + 1; id < pointers.contexts().origin_count(); id++)
    is_one_thread_[id] = pointers.contexts().origin(id).entry != nullptr;
  for (InstanceId id = 0; id < pointers.instances().size(); id++) {
    const Context& context = pointers.contexts()[pointers.instances()[id].context];
    bool is_entry = context.calls.empty() &&
                    (id == pointers.main_instance() ||
                     pointers.instances()[id].function == pointers.contexts().origin(context.origin).entry);
    if (is_entry && executions.may_run_again(id)) is_one_thread_[context.origin] = false;
  }
  Events events;
  find_flags(events);
  use_semaphores(events);
  std::erase_if(signals_, [](const Signal& signal) { return !signal.is_usable; });
  if (!signals_.empty()) history_.emplace(pointers, std::move(events));
}

bool Signals::may_begin_with_zero(LocationId location) const {
  const Object& object = pointers_.memory()[pointers_.memory().object_of(location)];
  const auto* global = llvm::dyn_cast_or_null<llvm::GlobalVariable>(object.site);
  return object.kind == ObjectKind::Global && global->hasInitializer() &&
         global->getInitializer()->isNullValue();
}

std::optional<LocationId> Signals::flag_at(InstanceId instance, const llvm::Value* pointer) const {
  const LocationSet& locations = pointers_.points_to(pointer, instance);
  if (locations.count() != 1) return std::nullopt;
  auto location = static_cast<LocationId>(locations.find_first());
  if (!executions_.is_single_location(location) || !may_begin_with_zero(location)) return std::nullopt;
  return location;
}

// Everything but a zero that the program may write to the flag. Nothing if some of it may be unordered; otherwise the
// locks that are held at all writes that are not atomic.
std::optional<std::set<LocationId>> Signals::locks_of_setters(const Signal& flag, Events& events) {
  Signal& changed = signals_[flag.number];
  std::optional<std::set<LocationId>> common;
  bool is_always_atomic = true;
  for (const Access& access : accesses_.all()) {
    if (!access.may_write() || !accesses_.may_touch(access, flag.location, flag_size)) continue;
    if (stores_zero(*access.inst)) continue;
    changed.setters.push_back(access.instance);
    events.at[{access.instance, access.inst}].set(flag.set());
    if (must_release(*access.inst)) continue;
    is_always_atomic = false;
    std::set<LocationId> held = single_locks(locks_.held(access.instance, access.inst), false);
    if (!common) common = held;
    std::erase_if(*common, [&](LocationId lock) { return !held.contains(lock); });
  }
  if (!is_always_atomic && common->empty()) return std::nullopt;
  return common.value_or(std::set<LocationId>());
}

// Branches that are taken only if a flag was seen to be set.
void Signals::find_flags(Events& events) {
  std::map<LocationId, std::pair<unsigned, std::optional<std::set<LocationId>>>> known;
  for (InstanceId id = 0; id < pointers_.instances().size(); id++)
    for (const llvm::BasicBlock& block : *pointers_.instances()[id].function) {
      ZeroTest test = zero_test(block);
      const auto* load = llvm::dyn_cast_or_null<llvm::LoadInst>(test.value);
      std::optional<LocationId> location = load ? flag_at(id, load->getPointerOperand()) : std::nullopt;
      if (!location) continue;
      if (!known.contains(*location)) {
        auto number = static_cast<unsigned>(signals_.size());
        Signal made{.location = *location, .setters = {}, .is_usable = true, .number = number};
        signals_.push_back(made);
        std::optional<std::set<LocationId>> locks = locks_of_setters(made, events);
        signals_[number].is_usable = locks.has_value();
        known[*location] = {number, locks};
      }
      const auto& [number, locks] = known[*location];
      if (!locks) continue;
      // Writes that are atomic need an atomic read; those under a lock need the lock.
      bool is_ordered = locks->empty() && may_acquire(*load);
      for (LocationId lock : single_locks(locks_.held(id, load), true)) is_ordered |= locks->contains(lock);
      if (is_ordered) events.along[{id, &block, test.other}].set(signals_[number].seen());
    }
}

void Signals::use_semaphores(Events& events) {
  for (const auto& [location, semaphore] : find_semaphores(pointers_)) {
    if (!executions_.is_single_location(location) || semaphore.begins_with != 0) continue;
    if (semaphore.starts.size() > 1 || llvm::any_of(semaphore.starts, [&](const SemaphoreUse& start) {
          return executions_.may_run_again(start.instance, start.call);
        }))
      continue;
    Signal signal{.location = location,
                  .setters = {},
                  .is_usable = true,
                  .number = static_cast<unsigned>(signals_.size())};
    for (const SemaphoreUse& post : semaphore.posts) {
      signal.setters.push_back(post.instance);
      events.at[{post.instance, post.call}].set(signal.set());
    }
    for (const SemaphoreUse& wait : semaphore.waits) events.at[{wait.instance, wait.call}].set(signal.seen());
    signals_.push_back(signal);
  }
}

bool Signals::must_precede(const Access& a, const Access& b) const {
  if (!history_) return false;
  OriginId thread = pointers_.origin_of(a.instance);
  if (!is_one_thread_[thread]) return false;
  const OriginId waiting = pointers_.origin_of(b.instance);
  Marks seen = history_->must_before(b.instance, b.inst), set = history_->may_before(a.instance, a.inst),
        set_by_waiting = history_->may_before(b.instance, b.inst);
  return llvm::any_of(signals_, [&](const Signal& signal) {
    // What the waiting thread sets afterwards it cannot have waited for.
    bool sets_later = is_one_thread_[waiting] && !set_by_waiting.test(signal.set());
    return seen.test(signal.seen()) && !set.test(signal.set()) &&
           llvm::all_of(signal.setters, [&](InstanceId setter) {
             OriginId by = pointers_.origin_of(setter);
             return by == thread || (by == waiting && sets_later);
           });
  });
}

} // namespace footrace::prove
