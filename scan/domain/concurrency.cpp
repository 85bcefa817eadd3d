#include "scan/domain/concurrency.h"

#include "scan/domain/crowds.h"
#include "scan/domain/queues.h"
#include "scan/domain/set_up.h"
#include "scan/il/threads.h"

#include <algorithm>

namespace footrace::scan::domain {

namespace {

// The object that a pointer or reference leads to.
il::Path object_of(const il::Value& pointer) {
  return pointer.kind == il::ValueKind::Address ? pointer.path : pointer.path.then(il::deref());
}

bool has_path(const il::Value& value) {
  return value.kind == il::ValueKind::Path || value.kind == il::ValueKind::Address;
}

// A global, a variable of the caller, or a part of the object that the method is called on.
bool belongs_to_callee(const il::Value& actual, const il::Call& call) {
  if (!has_path(actual)) return false;
  if (actual.path.root.kind == il::RootKind::Global) return true;
  if (actual.kind == il::ValueKind::Address && actual.path.is_variable()) return true;
  return has_path(call.actuals[0]) && il::is_prefix(object_of(call.actuals[0]), actual.path);
}

template <class Visit> void each_call(const il::Program& program, Visit visit) {
  for (const il::Method& method : program.methods)
    for (const il::Block& block : method.blocks)
      for (const il::Statement& statement : block.statements)
        if (const auto* call = std::get_if<il::Call>(&statement.what)) visit(method, *call, statement.at);
}

} // namespace

bool is_main(const il::Method& method) { return method.of_class.empty() && method.shown == il::Name("main"); }

Concurrency::Concurrency(const il::Program& program, const Summaries& summaries) : summaries_(summaries) {
  for (const il::Class& a_class : program.classes) {
    classes_.emplace(a_class.name, &a_class);
    if (a_class.thread_safe || !a_class.guards.empty() || !a_class.optional_locks.empty())
      with_contract_.push_back(&a_class);
  }
  for (const il::Slot& slot : program.slots)
    if (slot.formal) keeps_[{slot.target, *slot.formal}].insert(slot.name);
  find_threads(program, summaries);
  find_crowds(program, summaries);
  each_call(program, [&](const il::Method& method, const il::Call& call, const il::Location&) {
    if (call.kind != il::CallKind::Plain) return;
    // The start of a thread is no call.
    if (call.callee != method.name && method.body.empty()) add(method, call);
    for (const il::Closure& closure : call.closures) add(method, call, closure, summaries);
  });
  // Who calls what is kept in a slot is seen.
  for (const il::Slot& slot : program.slots)
    if (!slot.formal) given_away_.erase(slot.target);
  find_called_in_order(program, summaries);
  for (const auto& [function, slots] : kept_)
    if (!called_in_order_.contains(function)) given_away_.insert(function);
  if (!has_all_threads()) return;
  find_used(program);
  find_lifetimes(program);
  find_stores(program);
  find_first_uses(program);
}

void Concurrency::add(const il::Method& caller, const il::Call& call, const il::Closure& closure,
                      const Summaries& summaries) {
  auto callee = summaries.find(call.callee);
  bool invoked = callee != summaries.end() && callee->second.invokes(closure.formal);
  auto kept = keeps_.find({call.callee, closure.formal});
  if (invoked) add(caller, {std::nullopt, closure.function, closure.captured});
  if (kept != keeps_.end())
    kept_[closure.function].insert(kept->second.begin(), kept->second.end());
  else if (!invoked)
    given_away_.insert(closure.function);
}

void Concurrency::find_threads(const il::Program& program, const Summaries& summaries) {
  for (const il::Method& method : program.methods) {
    methods_.emplace(method.name, &method);
    if (!method.of_class.empty() && !method.internal)
      shown_classes_.emplace(il::qualifier(method.shown), method.of_class);
    has_main_ |= is_main(method);
    if (!summaries.at(method.name).spawns) continue;
    main_starts_threads_ |= is_main(method);
    starts_threads_.insert(method.name);
    if (!method.of_class.empty()) starts_threads_.insert(method.of_class);
    if (method.constructor) starts_when_made_.insert(method.of_class);
  }
  auto waits = [&](const il::Call& call) {
    if (call.kind != il::CallKind::Plain)
      return call.kind == il::CallKind::Join || call.kind == il::CallKind::Wait;
    auto callee = summaries.find(call.callee);
    return callee != summaries.end() && (callee->second.joins || callee->second.waits);
  };
  used_by_threads_ = classes_used_by_threads(program);
  each_call(program, [&](const il::Method& method, const il::Call& call, const il::Location& at) {
    if (waits(call)) waits_[method.name].push_back(at);
    if (call.kind != il::CallKind::Spawn && call.kind != il::CallKind::Hand) return;
    has_unknown_thread_ |= call.kind == il::CallKind::Spawn && !methods_.contains(call.callee);
    add_entry(method, call, at, summaries);
  });
}

// Threads first: only what is given to several threads is done by several at a time.
void Concurrency::find_crowds(const il::Program& program, const Summaries& summaries) {
  const std::unordered_set<il::Name> again = called_again(program, summaries);
  auto each_start = [&](il::CallKind kind, auto visit) {
    for (const il::Method& method : program.methods)
      for (unsigned b = 0; b < method.blocks.size(); ++b)
        for (std::size_t i = 0; i < method.blocks[b].statements.size(); ++i)
          if (const auto* call = std::get_if<il::Call>(&method.blocks[b].statements[i].what);
              call && call->kind == kind)
            for (il::Name name : {call->callee, body_of(call->callee)})
              if (auto entry = entries_.find(name); entry != entries_.end())
                visit(method, entry->second, may_come_again(method, b, i, summaries));
  };
  each_start(il::CallKind::Spawn, [&](const il::Method& starter, Entry& entry, bool here) {
    entry.crowd |= here;
    entry.crowd_later |= again.contains(starter.name);
    if (!entry.crowd && !entry.crowd_later) return;
    has_crowd_.insert(starter.name);
    if (!starter.of_class.empty()) has_crowd_.insert(starter.of_class);
  });
  each_start(il::CallKind::Hand, [&](const il::Method& starter, Entry& entry, bool here) {
    bool several = std::ranges::any_of(entry.pools, [&](il::Name pool) { return has_crowd_.contains(pool); });
    entry.crowd |= several && here;
    entry.crowd_later |= several && again.contains(starter.name);
  });
}

bool Concurrency::may_be_crowd(const il::Method& entry, const il::Root& root) const {
  auto known = entries_.find(entry.name);
  if (known == entries_.end()) return false;
  bool global = root.kind == il::RootKind::Global && !il::is_frame_variable(root);
  if (global) return known->second.crowd || known->second.crowd_later;
  // What one call of the starter gives to all of them.
  return known->second.crowd && !entry.body.empty();
}

il::Name Concurrency::body_of(il::Name thread) const {
  auto method = methods_.find(thread);
  return method == methods_.end() || method->second->body.empty() ? thread : method->second->body;
}

const il::Method* Concurrency::find(il::Name name) const {
  auto method = methods_.find(name);
  return method == methods_.end() ? nullptr : method->second;
}

bool Concurrency::keeps_one(const il::Method& method) const {
  auto first = keeps_.lower_bound({method.name, 0});
  return first != keeps_.end() && first->first.first == method.name;
}

// Who has the threads: the one that it is given to, or the giver, whose threads take it from there.
il::Name Concurrency::pool_of(const il::Method& giver, const il::Method& to) const {
  if (used_by_threads_.contains({giver.of_class, to.of_class})) return giver.of_class;
  return to.of_class.empty() ? to.name : to.of_class;
}

// A function that is given to something which starts threads runs on one of them: a thread pool.
void Concurrency::add_entry(const il::Method& starter, const il::Call& call, const il::Location& at,
                            const Summaries& summaries) {
  const il::Method* to = nullptr;
  if (call.kind == il::CallKind::Hand) {
    auto receiver = methods_.find(call.to);
    if (receiver != methods_.end()) to = receiver->second;
    bool has_threads = to && (starts_threads_.contains(to->name) || starts_threads_.contains(to->of_class) ||
                              used_by_threads_.contains({starter.of_class, to->of_class}));
    // What calls it there and then is looked at where it is called, and what keeps it where that calls it.
    bool invokes = to && !summaries.at(to->name).invocations.empty();
    bool followed = to && (invokes || keeps_one(*to));
    // A function that waits for its threads and calls this itself: the threads are for something else.
    if (invokes && !keeps_one(*to) && to->of_class.empty() && summaries.at(to->name).joins)
      has_threads = false;
    if (has_threads || !followed)
      for (il::Name name : {call.callee, body_of(call.callee)}) given_away_.insert(name);
    if (!has_threads) return;
  }
  auto awaits = [&](const il::Method& method) {
    const Summary& summary = summaries.at(method.name);
    return summary.joins || (to && summary.waits);
  };
  for (il::Name name : {call.callee, body_of(call.callee)}) {
    Entry& entry = entries_[name];
    entry.starters.emplace(starter.name, at);
    entry.awaited &= awaits(starter) || (to && awaits(*to));
    entry.queued &= to && !to->constructor && !summaries.at(to->name).spawns;
    if (to) entry.through = to->shown;
    if (to) entry.pools.insert(pool_of(starter, *to));
  }
}

// The greatest solution of: a method is called in order if each of its callers calls it in order, or is called so itself;
// what is kept in a slot, if the slot is.
void Concurrency::find_called_in_order(const il::Program& program, const Summaries& summaries) {
  for (const il::Method& method : program.methods)
    if ((has_main_ || called_by_others_.contains(method.name)) &&
        (called_.contains(method.name) || kept_.contains(method.name)) && !entries_.contains(method.name) &&
        !given_away_.contains(method.name))
      called_in_order_.insert(method.name);
  for (const auto& [formal, slots] : keeps_)
    for (il::Name slot : slots)
      if (called_.contains(slot)) called_in_order_.insert(slot);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [function, slots] : kept_)
      if (!std::ranges::all_of(slots, [&](il::Name slot) { return called_in_order_.contains(slot); }))
        changed |= called_in_order_.erase(function) > 0;
    for (const il::Method& caller : program.methods) {
      if (called_in_order_.contains(caller.name) || !caller.body.empty()) continue;
      for (const auto& [callee, in_order] : summaries.at(caller.name).calls)
        if (!in_order && callee != caller.name) changed |= called_in_order_.erase(callee) > 0;
    }
  }
}

bool Concurrency::must_be_called_in_order(const il::Method& method) const {
  return called_in_order_.contains(method.name);
}

std::string Concurrency::why_own_thread(const il::Method& method) const {
  auto entry = entries_.find(method.name);
  if (entry != entries_.end() && !entry->second.through.empty())
    return method.shown.text() + " is given to " + entry->second.through.text() +
           ", which has threads of its own";
  bool started = method.thread_entry || entry != entries_.end();
  return started ? method.shown.text() + " runs on a thread of its own" : "";
}

bool Concurrency::is_task(const il::Method& entry) const {
  auto known = entries_.find(entry.name);
  return known != entries_.end() && !known->second.through.empty();
}

bool Concurrency::may_run_beside(const il::Method& thread, const il::Method& starter,
                                 const il::Location& at) const {
  auto known = entries_.find(thread.name);
  return known != entries_.end() && !thread.body.empty() &&
         std::ranges::any_of(known->second.starters, [&](const auto& start) {
           return start.first == starter.name && may_follow(starter, start.second, at, summaries_);
         });
}

bool Concurrency::must_be_setting_up(const il::Method& setter, const il::Method& entry) const {
  auto known = entries_.find(entry.name);
  if (known == entries_.end() || !is_plain_setter(setter)) return false;
  return std::ranges::all_of(known->second.starters, [&](const auto& start) {
    auto starter = methods_.find(start.first);
    return starter != methods_.end() && !starter->second->constructor &&
           starter->second->of_class == setter.of_class;
  });
}

bool Concurrency::must_be_configuring(const il::Method& setter) const {
  return is_plain_setter(setter) && starts_threads_.contains(setter.of_class) &&
         !starts_when_made_.contains(setter.of_class);
}

bool Concurrency::waits_between(il::Name method, const il::Location& a, const il::Location& b) const {
  auto places = waits_.find(method);
  const auto& [first, second] = std::minmax(a, b);
  return places != waits_.end() && std::ranges::any_of(places->second, [&](const il::Location& at) {
           return first < at && at < second;
         });
}

// One thread does what both are given to, one after the other.
bool Concurrency::must_be_one_queue(const Entry& a, const Entry& b) const {
  return a.queued && b.queued && a.pools.size() == 1 && a.pools == b.pools &&
         !has_crowd_.contains(*a.pools.begin());
}

bool Concurrency::must_be_apart(const il::Method& a, const il::Method& b) const {
  auto x = entries_.find(a.name), y = entries_.find(b.name);
  if (x == entries_.end() || y == entries_.end()) return false;
  if (must_be_one_queue(x->second, y->second)) return true;
  const bool known = !x->second.lifetimes.empty() && !y->second.lifetimes.empty();
  // What two functions start may be one thread, ended and started again.
  bool both_awaited = known || (x->second.awaited && y->second.awaited);
  if (!both_awaited && body_of(a.name) != body_of(b.name)) return false;
  for (const auto& [a_starter, a_at] : known ? x->second.lifetimes : x->second.starters)
    for (const auto& [b_starter, b_at] : known ? y->second.lifetimes : y->second.starters)
      if (a_starter == b_starter && !waits_between(a_starter, a_at, b_at)) return false;
  return true;
}

// All that it does is to call this function: std::thread([this] { run(); }). Empty: it does more.
static il::Name only_call_of(const il::Method& method) {
  il::Name only;
  for (const il::Block& block : method.blocks)
    for (const il::Statement& statement : block.statements) {
      const auto* call = std::get_if<il::Call>(&statement.what);
      if (std::holds_alternative<il::Return>(statement.what)) continue;
      if (!call || call->kind != il::CallKind::Plain || !only.empty()) return {};
      only = call->callee;
    }
  return only;
}

std::vector<il::Name> Concurrency::loops_of(const il::Method& thread) const {
  constexpr std::size_t max_calls = 3;
  std::vector<il::Name> loops;
  for (const il::Method* method = &thread; method && loops.size() < max_calls;) {
    il::Name only = only_call_of(*method);
    if (only.empty()) break;
    loops.push_back(only);
    auto next = methods_.find(only);
    method = next == methods_.end() ? nullptr : next->second;
  }
  return loops;
}

void Concurrency::add(const il::Method& caller, const il::Call& call) {
  called_.insert(call.callee);
  auto callee = methods_.find(call.callee);
  if (callee != methods_.end() && callee->second->of_class != caller.of_class)
    called_by_others_.insert(call.callee);
  il::Path object =
      call.actuals.empty() || !has_path(call.actuals[0]) ? il::Path() : object_of(call.actuals[0]);
  bool own = caller.constructor && !object.steps.empty() && object.root == il::formal(0, "this") &&
             !il::has_deref_after(object, 1);
  // A constructor's call on `this` itself says nothing about who else calls.
  if (!own)
    called_afterwards_.insert(call.callee);
  else if (object.steps.size() > 1)
    called_in_making_.insert(call.callee);
  for (unsigned i = 1; i < call.actuals.size(); ++i)
    if (!belongs_to_callee(call.actuals[i], call)) foreign_.emplace(call.callee, i);
}

bool Concurrency::has_own_lock_in(const il::Method& method, unsigned formal) const {
  bool required = std::ranges::any_of(method.required, [&](const il::RequiredLock& lock) {
    return lock.lock.root.kind == il::RootKind::Formal && lock.lock.root.index == formal;
  });
  return !required && !foreign_.contains({method.name, formal});
}

bool Concurrency::may_be_entered(const il::Method& method) const {
  if (method.destructor || method.startup || !method.ignored.empty()) return false;
  if (method.thread_entry || entries_.contains(method.name)) return true;
  if (must_be_part_of_making(method) || must_be_called_in_order(method)) return false;
  return method.visibility == il::Visibility::Public && !method.internal;
}

bool Concurrency::must_be_part_of_making(const il::Method& method) const {
  return called_in_making_.contains(method.name) && !called_afterwards_.contains(method.name);
}

bool Concurrency::may_begin_calls(const il::Method& method) const {
  return !called_.contains(method.name) || given_away_.contains(method.name);
}

const LockState* Concurrency::locks_at(il::Name method, const il::Location& at) const {
  auto summary = summaries_.find(method);
  if (summary == summaries_.end()) return nullptr;
  for (const auto& [access, place] : summary->second.accesses.all())
    if (place.at == at && access.locks->has_locks()) return &*access.locks;
  return nullptr;
}

bool Concurrency::is_for_others(const il::Method& method) const {
  return !called_.contains(method.name) && !given_away_.contains(method.name) && !is_main(method) &&
         why_own_thread(method).empty();
}

} // namespace footrace::scan::domain
