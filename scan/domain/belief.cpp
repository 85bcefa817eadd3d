#include "scan/domain/belief.h"

#include "scan/il/threads.h"

#include <algorithm>

namespace footrace::scan::domain {

namespace {

bool is_member(il::Name variable, const il::Method& method) {
  const std::string of_class = il::qualifier(variable);
  return !of_class.empty() && of_class == il::qualifier(method.shown);
}

std::string locked_in(const Side& side) {
  return "'" + describe_access(side) + "' is accessed with a lock in " + side.method->shown.text();
}

Opinion locked_elsewhere(const Side& x, const Side& y) {
  const Side& locked = has_lock(x) ? x : y;
  return has_lock(locked) ? Opinion(locked_in(locked)) : Opinion(Doubt::NoReason);
}

// The function of a thread, and the thread that runs it: two threads of it are told apart by where they are started.
bool must_be_one_thread(const Side& x, const Side& y) {
  return x.method->body == y.method->name || y.method->body == x.method->name;
}

// Both are made by the thread that was given the same number, or name, or task.
bool have_one_role(const Side& x, const Side& y) {
  return std::ranges::any_of(x.access.locks->held, [&](const auto& held) {
    const il::Path& role = held.first.lock;
    return is_role_lock(role) && !is_first_use_lock(role) && y.access.locks->held.contains(held.first);
  });
}

// It knows that its object may be shared.
bool takes_lock(const il::Method& method) {
  return std::ranges::any_of(method.blocks, [](const il::Block& block) {
    return std::ranges::any_of(block.statements, [](const il::Statement& statement) {
      const auto* op = std::get_if<il::LockOp>(&statement.what);
      return op && op->action == il::LockAction::Acquire && !is_role_lock(op->lock);
    });
  });
}

bool is_this(const Side& side) { return side.method->has_this && side.access.path->root.index == 0; }

std::string several(const Side& side) {
  const std::string& why = side.facts->own_thread;
  return why.empty() ? "" : why + ", and there are several of them";
}

} // namespace

// What is meant to be protected by one lock: the global, or the first field.
il::Name group_key(const il::Path& path) {
  if (path.root.kind == il::RootKind::Global) return path.root.name;
  for (const il::Step& step : path.steps)
    if (step.kind == il::StepKind::Field) return step.field;
  return {};
}

void Belief::note(const Candidate& candidate, bool counts_locks) {
  const Side& side = candidate.side;
  const AccessKey& access = side.access;
  if (!candidate.object_class.empty()) {
    Users& users = given_[{candidate.object_class, access.path->steps}];
    (has_lock(side) ? users.with_lock : users.without).insert(side.method);
  }
  const il::Name of_class = side.method->of_class;
  if (counts_locks)
    for (const auto& [key, count] : access.locks->held) {
      lock_users_[{of_class, key.lock}].insert(side.method);
      if (is_once_lock(key.lock) && key.mode == il::LockMode::Exclusive)
        made_once_.emplace(group_key(access.path), key.lock);
    }
  if (!is_write(side)) return;
  writers_[{of_class, access.path}].insert(side.method);
  if (!has_lock(side)) writes_.emplace(side.method, access.path);
}

Opinion Belief::opinion(const Candidate& a, const Candidate& b) const {
  return a.object_class.empty() ? of_global(a.side, b.side) : of_object(a, b);
}

// To have passed std::call_once() says nothing of what was not made there.
bool Belief::is_evidence(const Side& side, const LockKey& key) const {
  if (is_ticket_lock(key.lock)) return false;
  return !is_once_lock(key.lock) || made_once_.contains({group_key(side.access.path), key.lock});
}

// A lock that is there for this object: a member, or one that a member points to, or one that lies beside what is accessed
// (this->impl->mutex for this->impl->x), or a global, or one that is handed in and not another object's. What belongs to another object protects something else; one
// that is taken only if the object is shared says nothing to a method that takes none.
bool Belief::has_own_lock(const Side& side, const Side& other) const {
  return std::ranges::any_of(side.access.locks->held, [&](const auto& held) {
    const il::Path& lock = held.first.lock;
    if (!is_evidence(side, held.first)) return false;
    if (is_unknown(lock)) return false;
    if (lock.root.kind == il::RootKind::Global) return !is_of_other_object(side, lock);
    if (lock.root != side.access.path->root && lock.steps == std::vector{il::deref()})
      return concurrency_.has_own_lock_in(*side.method, lock.root.index);
    if (lock.root != side.access.path->root) return false;
    if (concurrency_.is_optional(side.method->of_class, lock) && !takes_lock(*other.method)) return false;
    if (lock.steps.size() < 2) return lock.steps == std::vector{il::deref()}; // the object is a lock itself
    il::Path member(lock.root, {lock.steps.begin(), lock.steps.end() - 1});
    return !il::has_deref_after(member, 1) || il::is_prefix(member, side.access.path);
  });
}

// A lock of some object protects that object: that it is held while a global is used may be chance, unless that is a
// static member of the same class.
// In a library, which is called by others, a lock that cannot be named may be of anything.
bool Belief::has_global_lock(const Side& side) const {
  bool member = side.method->has_this && is_member(side.access.path->root.name, *side.method);
  return std::ranges::any_of(side.access.locks->held, [&](const auto& held) {
    const il::Root& root = held.first.lock.root;
    // What a library makes once, its other functions use later without asking again.
    if (is_once_lock(held.first.lock) || is_ticket_lock(held.first.lock)) return false;
    if (is_unknown(held.first.lock)) return concurrency_.has_main();
    return root.kind == il::RootKind::Global || (member && root.index == 0);
  });
}

// One has seen what the other sets or signals when it has finished.
bool Belief::may_take_turns(const Side& x, const Side& y) {
  return may_be_handed_over(x.access.turn, x.access.path->root, y.access.turn, y.access.path->root);
}

// if (threads == 1)
bool Belief::must_be_alone(const Side& side) {
  static const LockKey only{il::only_thread(), il::LockMode::Exclusive};
  return side.access.locks->held.contains(only);
}

// Of an object that functions are given: a lock that lies in it, and not by chance: unless few use this place, half of them have one.
bool Belief::has_lock_of_object(const Candidate& candidate) const {
  const Side& side = candidate.side;
  auto users = given_.find({candidate.object_class, side.access.path->steps});
  if (users == given_.end()) return false;
  const std::size_t with_lock = users->second.with_lock.size(), without = users->second.without.size();
  constexpr std::size_t few = 2;
  if (without > few && with_lock < without) return false;
  return std::ranges::any_of(side.access.locks->held, [&](const auto& held) {
    const il::Path& lock = held.first.lock;
    return lock.root == side.access.path->root && !il::has_deref_after(lock, 1) &&
           is_evidence(side, held.first);
  });
}

// The other runs what the thread consists of, in its place: start() { run(); } beside start_async().
bool Belief::must_be_one_loop(const Side& thread, const Side& other) const {
  if (!other.facts->own_thread.empty()) return false; // two threads
  return std::ranges::any_of(thread.facts->loops, [&](il::Name loop) {
    return other.method->name == loop ||
           (!other.place.calls.empty() && other.place.calls.front().callee == loop);
  });
}

// std::thread([this] { run(); }), and run().
bool Belief::must_be_loop_of(const Side& thread, const Side& other) const {
  return !thread.facts->own_thread.empty() &&
         !concurrency_.may_be_crowd(*thread.method, thread.access.path->root) &&
         must_be_one_loop(thread, other);
}

// Of one object: its thread is started once.
bool Belief::must_be_one_run(const Side& x, const Side& y) const {
  if (must_be_loop_of(x, y) || must_be_loop_of(y, x)) return true;
  if (x.method != y.method && !must_be_one_thread(x, y)) return false;
  return !x.facts->own_thread.empty() && !y.facts->own_thread.empty() &&
         !concurrency_.may_be_crowd(*x.method, x.access.path->root) &&
         !concurrency_.may_be_crowd(*y.method, y.access.path->root);
}

// The lock of a global object, taken by a method of that object: it is there for that object, whatever else is used meanwhile.
bool Belief::is_of_other_object(const Side& side, const il::Path& lock) const {
  if (lock.is_variable()) return false;
  const std::vector<CallSite> calls(side.place.calls.begin(), side.place.calls.end());
  auto taker = std::find_if(calls.rbegin(), calls.rend(), [&](const CallSite& call) {
    return concurrency_.locks_at(call.callee, side.place.at) != nullptr;
  });
  if (taker == calls.rend()) return false; // the method itself
  return std::ranges::none_of(concurrency_.locks_at(taker->callee, side.place.at)->held,
                              [&](const auto& held) { return held.first.lock == lock; });
}

// A method of a base class cannot take part in what the locks of a derived class are for.
bool Belief::has_lock_of_derived(const Side& locked, const Side& other) const {
  return std::ranges::any_of(locked.access.locks->held, [&](const auto& held) {
    const il::Path& lock = held.first.lock;
    return lock.root == locked.access.path->root && !concurrency_.may_know(other.method->of_class, lock);
  });
}

// The function that makes the one access takes the lock itself, and then makes the other. Null: there is none but the method.
const il::Method* Belief::common_maker(const Side& weak, const Side& locked) const {
  if (weak.place.calls.empty()) return nullptr;
  il::Name maker = weak.place.calls.back().callee;
  bool common = std::ranges::find(locked.place.calls, maker, &CallSite::callee) != locked.place.calls.end();
  return common && concurrency_.locks_at(maker, locked.place.at) ? concurrency_.find(maker) : nullptr;
}

// All of these locks are there for others too.
bool Belief::has_other_users(il::Name of_class, const LockState& locks) const {
  return std::ranges::all_of(locks.held, [&](const auto& held) {
    auto users = lock_users_.find({of_class, held.first.lock});
    return users != lock_users_.end() && users->second.size() > 1;
  });
}

// One method writes without a lock what it uses with one that is there for others: it belongs to the one thread that
// calls the method. Or one function does, which two methods call: then the lock as that function names it may be there for others.
bool Belief::happens_to_be_locked(const Side& x, const Side& y) const {
  if (has_lock(x) == has_lock(y)) return false;
  const Side &weak = has_lock(x) ? y : x, &locked = has_lock(x) ? x : y;
  if (!is_write(weak) && !writes_.contains({weak.method, weak.access.path})) return false;
  const il::Method* maker = common_maker(weak, locked);
  if (!maker && weak.method != locked.method) return false;
  return has_other_users(locked.method->of_class, *locked.access.locks) ||
         (maker && has_other_users(maker->of_class, *concurrency_.locks_at(maker->name, locked.place.at)));
}

// The only writer of it, but for constructors, is a plain setter of a class that is started by a method of its own.
bool Belief::must_be_configuring(const Side& side) const {
  return is_write(side) && !has_lock(side) && concurrency_.must_be_configuring(*side.method) &&
         writers_.at({side.method->of_class, side.access.path}).size() == 1;
}

// One of the two runs on a thread of its own. Two runs of one entry are not assumed unless it is started several times. A thread that
// is given its turn by an atomic and gives it back is not assumed to run against those who wait for it.
Opinion Belief::of_threads(const Side& x, const Side& y) const {
  bool none = x.facts->own_thread.empty() && y.facts->own_thread.empty();
  if (none && x.method != y.method) return Doubt::NoReason;
  if (have_one_role(x, y)) return Doubt::OneRole;
  if (x.method == y.method) {
    if (!concurrency_.may_be_crowd(*x.method, x.access.path->root)) return Doubt::OneThread;
    return several(x);
  }
  if (must_be_one_thread(x, y)) return Doubt::OneThread;
  if (concurrency_.must_be_apart(*x.method, *y.method)) return Doubt::Apart;
  bool x_is_entry = !x.facts->own_thread.empty();
  const Side &thread = x_is_entry ? x : y, &other = x_is_entry ? y : x;
  // A function's own variables are the same ones in both of its threads, whatever these call.
  if (!il::is_frame_variable(x.access.path->root) && must_be_one_loop(thread, other)) return Doubt::OneLoop;
  if (must_have_ended(thread, other)) return Doubt::Ended;
  if (has_own_turn(thread.access.turn, thread.access.path->root, other.access.turn, other.access.path->root))
    return Doubt::OwnTurn;
  // pool.wait(): what it waits for may be the end of all tasks
  if (other.access.waited && concurrency_.is_task(*thread.method)) return Doubt::TasksAwaited;
  if (concurrency_.must_be_setting_up(*other.method, *thread.method)) return Doubt::Configured;
  return thread.facts->own_thread;
}

bool Belief::must_have_ended(const Side& thread, const Side& other) const {
  const il::Root& root = other.access.path->root;
  return root.kind == il::RootKind::Global && !il::is_frame_variable(root) &&
         other.facts->own_thread.empty() &&
         concurrency_.must_have_ended(*thread.method, thread.place.calls, *other.method, other.place.calls);
}

Opinion Belief::of_object(const Candidate& a, const Candidate& b) const {
  const Side &x = a.side, &y = b.side;
  bool methods = is_this(x) && is_this(y);
  if (std::string why = concurrency_.shared_by_contract(a.object_class); methods && !why.empty()) return why;
  if (const il::Guard* guard = concurrency_.guard_of(a.object_class, x.access.path); methods && guard)
    return "'" + std::string(guard->pointee ? "*" : "") + std::string(il::field_name(guard->field)) +
           "' is declared to be guarded by '" + describe(guard->by.lock) + "'";
  if (happens_to_be_locked(x, y)) return Doubt::LockedByChance;
  if (methods) {
    if (must_be_one_run(x, y)) return Doubt::OneRun;
    if (must_be_configuring(x) || must_be_configuring(y)) return Doubt::Configured;
    if (!has_own_lock(x, y) && !has_own_lock(y, x)) return of_threads(x, y);
    if (has_lock_of_derived(x, y) || has_lock_of_derived(y, x)) return Doubt::LockOfDerived;
    return locked_elsewhere(x, y);
  }
  if (x.method == y.method && concurrency_.may_be_crowd(*x.method, x.access.path->root)) {
    if (have_one_role(x, y)) return Doubt::OneRole;
    return several(x);
  }
  // Functions that are given the object: only a lock of that same object is a reason.
  if (has_lock_of_object(a)) return locked_in(x);
  if (has_lock_of_object(b)) return locked_in(y);
  return Doubt::NoReason;
}

// What is done at the first use of something, which the main thread has used before there were threads.
bool Belief::must_be_made_before(const Side& side) const {
  return std::ranges::any_of(side.access.locks->held, [&](const auto& held) {
    return concurrency_.is_used_by_main_first(held.first.lock);
  });
}

Opinion Belief::of_global(const Side& x, const Side& y) const {
  if (il::is_frame_variable(x.access.path->root)) return of_threads(x, y);
  bool library = x.facts->for_others && y.facts->for_others;
  if (concurrency_.has_all_threads() && !library) return of_threads(x, y);
  if (has_global_lock(x) || has_global_lock(y)) return locked_elsewhere(x, y);
  return of_threads(x, y);
}

} // namespace footrace::scan::domain
