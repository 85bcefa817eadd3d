#include "scan/domain/pairing.h"

#include "scan/domain/conflict.h"
#include "scan/domain/selection.h"
#include "scan/domain/set_up.h"
#include "scan/il/threads.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace footrace::scan::domain {

namespace {

// "Class::" of "Class::name" and of "Class::name(int)".
std::string_view qualifier(const std::string& name) {
  std::string_view plain = std::string_view(name).substr(0, name.find('('));
  std::size_t end = plain.rfind("::");
  return end == std::string_view::npos ? "" : plain.substr(0, end + 2);
}

bool is_member(il::Name variable, const il::Method& method) {
  return !qualifier(variable.text()).empty() && qualifier(variable.text()) == qualifier(method.shown.text());
}

// How often each lock is held at accesses of one group: the one that is held most is meant to protect it.
using LockUses = std::map<il::Path, unsigned>;

unsigned best_lock(const Side& side, const LockUses& uses) {
  unsigned best = 0;
  for (const auto& [key, count] : side.access.locks->held)
    if (auto entry = uses.find(key.lock); entry != uses.end() && !is_role_lock(key.lock))
      best = std::max(best, entry->second);
  return best;
}

// The locks of other objects than the one that is accessed.
bool has_foreign_locks_only(const Side& side) {
  return std::ranges::all_of(side.access.locks->held, [&](const auto& held) {
    const il::Path& lock = held.first.lock;
    return is_role_lock(lock) ||
           (lock.root.kind == il::RootKind::Formal && lock.root != side.access.path->root);
  });
}

// Which of the two should be repaired: the one without a lock, or with those of others, or with the less usual one; then the write; then by name.
bool must_be_repaired_first(const Side& a, const Side& b, const LockUses& uses) {
  auto rank = [&](const Side& side) {
    return std::tuple(has_lock(side), !has_foreign_locks_only(side), best_lock(side, uses), !is_write(side),
                      side.method->shown, side.method->name, side.place.at);
  };
  return rank(a) <= rank(b);
}

bool starts_thread_itself(const il::Method& method) {
  return std::ranges::any_of(method.blocks, [](const il::Block& block) {
    return std::ranges::any_of(block.statements, [](const il::Statement& statement) {
      const auto* call = std::get_if<il::Call>(&statement.what);
      return call && (call->kind == il::CallKind::Spawn || call->kind == il::CallKind::Hand);
    });
  });
}

class Pairing {
public:
  Pairing(const il::Program& program, const Summaries& summaries, const Rules& rules, PairingCounts& counts)
      : concurrency_(program, summaries), rules_(rules), counts_(counts) {
    for (const il::Method& method : program.methods)
      if (bool entered = concurrency_.may_be_entered(method); entered || summaries.at(method.name).spawns) {
        facts_.emplace(&method,
                       MethodFacts{entered ? concurrency_.why_own_thread(method) : "",
                                   concurrency_.loops_of(method), concurrency_.is_for_others(method)});
        collect(method, summaries.at(method.name), entered);
      }
  }

  std::vector<Race> run() {
    candidates_.each_pair([&](const Candidate& a, const Candidate& b) { consider(a, b); });
    std::vector<Found> races;
    for (auto& [weak, race] : races_) races.push_back(std::move(race));
    return best_of(std::move(races), concurrency_, counts_);
  }

private:
  // What is meant to be protected by one lock: the global, or the first field.
  static il::Name group_key(const il::Path& path) {
    if (path.root.kind == il::RootKind::Global) return path.root.name;
    for (const il::Step& step : path.steps)
      if (step.kind == il::StepKind::Field) return step.field;
    return {};
  }

  // What a method shares with the threads that it starts is its own matter, whoever calls it: `entered` or not.
  void collect(const il::Method& method, const Summary& summary, bool entered) {
    const Accesses accesses = without_history(summary.accesses);
    const MethodFacts& facts = facts_.at(&method);
    const SetUp set_up(method, accesses);
    const bool starts = starts_thread_itself(method);
    for (const auto& [access, place] : accesses.all()) {
      const il::Root& root = access.path->root;
      il::Name frame = il::frame_of(root);
      // Of what others may use as well, only what happens beside its own threads.
      bool beside_only = !entered && starts && root.kind == il::RootKind::Global && method.body.empty();
      if (frame.empty() ? !entered && !beside_only : frame != method.name && method.body.empty()) continue;
      bool in_order =
          beside_only || (access.order != Order::Unknown && !may_run_beside_others(method, access));
      if (in_order && (root.kind != il::RootKind::Global || !summary.spawns || !method.body.empty()))
        continue;
      Candidate candidate{{&method, access, place, &facts, &method}, {}, false, in_order};
      if (root.kind == il::RootKind::Formal) {
        if (root.index >= method.formals.size()) continue;
        bool is_this = method.has_this && root.index == 0;
        candidate.object_class = is_this ? method.of_class : method.formals[root.index].type;
        if (candidate.object_class.empty() || (is_this && method.constructor)) continue;
        // Of an object that was handed in, the callers say more than the callee.
        if (!is_this && !concurrency_.may_begin_calls(method)) continue;
      } else if (frame.empty() && !beside_only &&
                 (method.constructor ||
                  (!concurrency_.may_begin_calls(method) && facts.own_thread.empty()))) {
        continue; // its callers have this access too, with the locks that they hold
      } else if (frame.empty() && concurrency_.must_be_seen_elsewhere(method, place.calls)) {
        continue;
      }
      for (const auto& [key, count] : access.locks->held) {
        if (beside_only) break; // its callers have it too
        ++uses_[group_key(access.path)][key.lock];
        lock_users_[{method.of_class, key.lock}].insert(&method);
        if (is_once_lock(key.lock) && key.mode == il::LockMode::Exclusive)
          made_once_.emplace(group_key(access.path), key.lock);
      }
      const Side& side = candidate.side;
      if (is_write(side)) writers_[{method.of_class, access.path}].insert(&method);
      candidate.alone = must_be_alone(side) ||
                        (facts.own_thread.empty() && !has_lock(side) && set_up.must_prepare(access, place));
      if (is_write(side) && !has_lock(side)) writes_.emplace(&method, access.path);
      candidates_.add(std::move(candidate));
    }
  }

  // What a handler does before it starts threads is not before the threads of main. An object may be one that only its own
  // threads get to see.
  bool may_run_beside_others(const il::Method& method, const AccessKey& access) const {
    return access.order == Order::BeforeStart && access.path->root.kind == il::RootKind::Global &&
           !il::is_frame_variable(access.path->root) && concurrency_.may_run_beside_threads_of_main(method);
  }

  void consider(const Candidate& a, const Candidate& b) {
    const Side &x = a.side, &y = b.side;
    bool global = a.object_class.empty();
    if (global != b.object_class.empty()) return;
    if (!global && !concurrency_.may_be_same_object(a.object_class, b.object_class)) return;
    if (global && (x.access.path->root != y.access.path->root || must_be_one_main_thread(x, y))) return;
    if ((a.in_order && !is_beside(x, y)) || (b.in_order && !is_beside(y, x))) return;
    if (!may_race(x.access, y.access, {x.access.path->root, y.access.path->root}, rules_)) return;
    if (a.alone || b.alone || may_take_turns(x, y)) {
      ++counts_.not_believed;
      return;
    }
    std::string why = global ? why_global(x, y) : why_object(a, b);
    if (why.empty()) {
      ++counts_.not_believed;
      return;
    }
    const Side& weak = must_be_repaired_first(x, y, uses_[group_key(x.access.path)]) ? x : y;
    const Side& other = &weak == &x ? y : x;
    keep_best({&weak, &other, std::move(why)});
  }

  // Both are the main thread's, in a program with all its threads: asked first, as most pairs of a large program are.
  bool must_be_one_main_thread(const Side& x, const Side& y) const {
    return x.facts->own_thread.empty() && y.facts->own_thread.empty() && concurrency_.has_all_threads() &&
           !(x.facts->for_others && y.facts->for_others);
  }

  // Of one access that has to be repaired, only the first is ever reported: a large program has millions.
  void keep_best(Found race) {
    auto [known, fresh] = races_.try_emplace(race.weak, race);
    if (fresh) return;
    ++counts_.duplicates;
    if (says_more(race, known->second)) known->second = std::move(race);
  }

  // The thread runs where its starter makes this access.
  bool is_beside(const Side& of_starter, const Side& of_thread) const {
    const AccessPlace& place = of_starter.place;
    return concurrency_.may_run_beside(*of_thread.method, *of_starter.method,
                                       place.calls.empty() ? place.at : place.calls.front().at);
  }

  // To have passed std::call_once() says nothing of what was not made there.
  bool is_evidence(const Side& side, const LockKey& key) const {
    if (is_ticket_lock(key.lock)) return false;
    return !is_once_lock(key.lock) || made_once_.contains({group_key(side.access.path), key.lock});
  }

  // A lock that is there for this object: a member, or one that a member points to, or one that lies beside what is accessed
  // (this->impl->mutex for this->impl->x), or a global, or one that is handed in and not another object's. What belongs to another object protects something else.
  bool has_own_lock(const Side& side) const {
    return std::ranges::any_of(side.access.locks->held, [&](const auto& held) {
      const il::Path& lock = held.first.lock;
      if (!is_evidence(side, held.first)) return false;
      if (is_unknown(lock)) return false;
      if (lock.root.kind == il::RootKind::Global) return true;
      if (lock.root != side.access.path->root && lock.steps == std::vector{il::deref()})
        return concurrency_.has_own_lock_in(*side.method, lock.root.index);
      if (lock.root != side.access.path->root) return false;
      if (lock.steps.size() < 2) return lock.steps == std::vector{il::deref()}; // the object is a lock itself
      il::Path member(lock.root, {lock.steps.begin(), lock.steps.end() - 1});
      return !il::has_deref_after(member, 1) || il::is_prefix(member, side.access.path);
    });
  }

  // A lock of some object protects that object: that it is held while a global is used may be chance, unless that is a
  // static member of the same class.
  // In a library, which is called by others, a lock that cannot be named may be of anything.
  bool has_global_lock(const Side& side) const {
    bool member = side.method->has_this && is_member(side.access.path->root.name, *side.method);
    return std::ranges::any_of(side.access.locks->held, [&](const auto& held) {
      const il::Root& root = held.first.lock.root;
      // What a library makes once, its other functions use later without asking again.
      if (is_once_lock(held.first.lock) || is_ticket_lock(held.first.lock)) return false;
      if (is_unknown(held.first.lock)) return concurrency_.has_main();
      return root.kind == il::RootKind::Global || (member && root.index == 0);
    });
  }

  // Both come after a wait at a condition variable: what it waits for may be that the other has finished. Or one has seen
  // the atomic that the other sets when it has finished.
  static bool may_take_turns(const Side& x, const Side& y) {
    return (x.access.waited && y.access.waited) ||
           may_be_handed_over(x.access.turn, x.access.path->root, y.access.turn, y.access.path->root);
  }

  // if (threads == 1)
  static bool must_be_alone(const Side& side) {
    static const LockKey only{il::only_thread(), il::LockMode::Exclusive};
    return side.access.locks->held.contains(only);
  }

  static std::string locked_in(const Side& side) {
    return "'" + describe_access(side) + "' is accessed with a lock in " + side.method->shown.text();
  }
  static std::string locked_elsewhere(const Side& x, const Side& y) {
    const Side& locked = has_lock(x) ? x : y;
    return has_lock(locked) ? locked_in(locked) : "";
  }

  bool has_lock_of_object(const Side& side) const {
    return std::ranges::any_of(side.access.locks->held, [&](const auto& held) {
      return held.first.lock.root == side.access.path->root && is_evidence(side, held.first);
    });
  }

  // The other runs what the thread consists of, in its place: start() { run(); } beside start_async().
  bool must_be_one_loop(const Side& thread, const Side& other) const {
    if (!other.facts->own_thread.empty()) return false; // two threads
    return std::ranges::any_of(thread.facts->loops, [&](il::Name loop) {
      return other.method->name == loop ||
             (!other.place.calls.empty() && other.place.calls.front().callee == loop);
    });
  }

  std::string several(const Side& side) const {
    const std::string& why = side.facts->own_thread;
    return why.empty() ? "" : why + ", and there are several of them";
  }

  // The function of a thread, and the thread that runs it: two threads of it are told apart by where they are started.
  static bool must_be_one_thread(const Side& x, const Side& y) {
    return x.method->body == y.method->name || y.method->body == x.method->name;
  }

  // std::thread([this] { run(); }), and run().
  bool must_be_loop_of(const Side& thread, const Side& other) const {
    return !thread.facts->own_thread.empty() &&
           !concurrency_.may_be_crowd(*thread.method, thread.access.path->root) &&
           must_be_one_loop(thread, other);
  }

  // Of one object: its thread is started once.
  bool must_be_one_run(const Side& x, const Side& y) const {
    if (must_be_loop_of(x, y) || must_be_loop_of(y, x)) return true;
    if (x.method != y.method && !must_be_one_thread(x, y)) return false;
    return !x.facts->own_thread.empty() && !y.facts->own_thread.empty() &&
           !concurrency_.may_be_crowd(*x.method, x.access.path->root) &&
           !concurrency_.may_be_crowd(*y.method, y.access.path->root);
  }

  // The function that makes the one access takes the lock itself, and then makes the other.
  bool have_one_function(const Side& weak, const Side& locked) const {
    if (weak.method == locked.method) return true;
    if (weak.place.calls.empty()) return false;
    il::Name maker = weak.place.calls.back().callee;
    return std::ranges::find(locked.place.calls, maker, &CallSite::callee) != locked.place.calls.end() &&
           concurrency_.takes_lock_for(maker, locked.place.at);
  }

  // One method writes without a lock what it uses with one that is there for others: it belongs to the one thread that
  // calls the method. Or one function does, which two methods call.
  bool happens_to_be_locked(const Side& x, const Side& y) const {
    if (has_lock(x) == has_lock(y)) return false;
    const Side &weak = has_lock(x) ? y : x, &locked = has_lock(x) ? x : y;
    if (!have_one_function(weak, locked)) return false;
    bool writes = is_write(weak) || writes_.contains({weak.method, weak.access.path});
    return writes && std::ranges::all_of(locked.access.locks->held, [&](const auto& held) {
             auto users = lock_users_.find({locked.method->of_class, held.first.lock});
             return users != lock_users_.end() && users->second.size() > 1;
           });
  }

  // The only writer of it, but for constructors, is a plain setter of a class that is started by a method of its own.
  bool must_be_configuring(const Side& side) const {
    return is_write(side) && !has_lock(side) && concurrency_.must_be_configuring(*side.method) &&
           writers_.at({side.method->of_class, side.access.path}).size() == 1;
  }

  // Both are made by the thread that was given the same number, or name, or task.
  static bool have_one_role(const Side& x, const Side& y) {
    return std::ranges::any_of(x.access.locks->held, [&](const auto& held) {
      return is_role_lock(held.first.lock) && y.access.locks->held.contains(held.first);
    });
  }

  // One of the two runs on a thread of its own. Two runs of one entry are not assumed unless it is started several times. A thread that
  // is given its turn by an atomic and gives it back is not assumed to run against those who wait for it.
  std::string own_thread(const Side& x, const Side& y) const {
    bool none = x.facts->own_thread.empty() && y.facts->own_thread.empty();
    if ((none && x.method != y.method) || have_one_role(x, y)) return "";
    if (x.method == y.method)
      return concurrency_.may_be_crowd(*x.method, x.access.path->root) ? several(x) : "";
    if (must_be_one_thread(x, y) || concurrency_.must_be_apart(*x.method, *y.method)) return "";
    bool x_is_entry = !x.facts->own_thread.empty();
    const Side &thread = x_is_entry ? x : y, &other = x_is_entry ? y : x;
    bool ordered = must_be_one_loop(thread, other) || must_have_ended(thread, other) ||
                   has_own_turn(thread.access.turn, thread.access.path->root, other.access.turn,
                                other.access.path->root) ||
                   // pool.wait(): what it waits for may be the end of all tasks
                   (other.access.waited && concurrency_.is_task(*thread.method)) ||
                   concurrency_.must_be_setting_up(*other.method, *thread.method);
    return ordered ? "" : thread.facts->own_thread;
  }

  bool must_have_ended(const Side& thread, const Side& other) const {
    const il::Root& root = other.access.path->root;
    return root.kind == il::RootKind::Global && !il::is_frame_variable(root) &&
           other.facts->own_thread.empty() &&
           concurrency_.must_have_ended(*thread.method, *other.method, other.place.calls);
  }

  std::string why_object(const Candidate& a, const Candidate& b) const {
    const Side &x = a.side, &y = b.side;
    bool methods = is_this(x) && is_this(y);
    if (std::string why = concurrency_.shared_by_contract(a.object_class); methods && !why.empty())
      return why;
    if (const il::Guard* guard = concurrency_.guard_of(a.object_class, x.access.path); methods && guard)
      return "'" + std::string(guard->pointee ? "*" : "") + std::string(il::field_name(guard->field)) +
             "' is declared to be guarded by '" + describe(guard->by.lock) + "'";
    if (happens_to_be_locked(x, y)) return "";
    if (methods) {
      if (must_be_one_run(x, y)) return "";
      if (must_be_configuring(x) || must_be_configuring(y)) return "";
      if (has_own_lock(x) || has_own_lock(y)) return locked_elsewhere(x, y);
      return own_thread(x, y);
    }
    if (x.method == y.method && concurrency_.may_be_crowd(*x.method, x.access.path->root))
      return have_one_role(x, y) ? "" : several(x);
    // Functions that are given the object: only a lock of that same object is a reason.
    if (has_lock_of_object(x)) return locked_in(x);
    return has_lock_of_object(y) ? locked_in(y) : "";
  }

  std::string why_global(const Side& x, const Side& y) const {
    if (il::is_frame_variable(x.access.path->root)) return own_thread(x, y);
    bool library = x.facts->for_others && y.facts->for_others;
    if (concurrency_.has_all_threads() && !library) return own_thread(x, y);
    if (has_global_lock(x) || has_global_lock(y)) return locked_elsewhere(x, y);
    return own_thread(x, y);
  }

  static bool is_this(const Side& side) { return side.method->has_this && side.access.path->root.index == 0; }

  Concurrency concurrency_;
  const Rules& rules_;
  PairingCounts& counts_;
  std::unordered_map<const il::Method*, MethodFacts> facts_;
  std::map<il::Name, LockUses> uses_;                                               // by group_key
  std::map<std::pair<il::Name, il::Path>, std::set<const il::Method*>> lock_users_; // by class and lock
  std::set<std::pair<const il::Method*, il::Path>> writes_;                         // without a lock
  std::map<std::pair<il::Name, il::Path>, std::set<const il::Method*>> writers_;    // by class and path
  std::set<std::pair<il::Name, il::Path>> made_once_;                               // by group_key
  Candidates candidates_;
  std::unordered_map<const Side*, Found> races_; // by the access to be repaired
};

} // namespace

std::vector<Race> pair(const il::Program& program, const Summaries& summaries, const Rules& rules,
                       PairingCounts* counts) {
  PairingCounts unused;
  return Pairing(program, summaries, rules, counts ? *counts : unused).run();
}

std::vector<Race> find_races(const il::Program& program, const Summaries& summaries, const Options& options,
                             PairingCounts* counts) {
  std::vector<Race> races = pair(program, summaries, {}, counts);
  auto is_cut = [](const auto& entry) { return entry.second.left_out; };
  if (options.domain != Domain::Ownership || std::ranges::none_of(summaries, is_cut)) return races;
  Options stability = options;
  stability.domain = Domain::Stability;
  auto is_known = [&](const Race& race) {
    return std::ranges::any_of(races, [&](const Race& other) {
      return other.weak.place.at == race.weak.place.at && other.weak.access.path == race.weak.access.path;
    });
  };
  std::ranges::copy_if(pair(program, summarize(program, stability)), std::back_inserter(races),
                       std::not_fn(is_known));
  return races;
}

std::string_view to_text(RaceRule rule) {
  switch (rule) {
  case RaceRule::UnprotectedWrite:
    return "unprotected-write";
  case RaceRule::ReadWrite:
    return "read-write-race";
  case RaceRule::WriteWrite:
    return "write-write-race";
  case RaceRule::WrongLock:
    return "wrong-lock";
  case RaceRule::SharedLock:
    return "write-with-shared-lock";
  }
  return "data-race";
}

} // namespace footrace::scan::domain
