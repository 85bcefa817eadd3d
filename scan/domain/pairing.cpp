#include "scan/domain/pairing.h"

#include "scan/domain/conflict.h"
#include "scan/il/threads.h"

#include <algorithm>
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

bool is_write(const Side& side) { return side.access.kind == AccessKind::Write; }
bool has_lock(const Side& side) {
  return std::ranges::any_of(side.access.locks.held,
                             [](const auto& held) { return !is_ticket_lock(held.first.lock); });
}

RaceRule rule_of(const Side& weak, const Side& other) {
  if (has_lock(weak) && has_lock(other)) {
    auto all_shared = [](const Side& side) {
      return std::ranges::all_of(side.access.locks.held, [](const auto& held) {
        return held.first.mode == il::LockMode::Shared || is_role_lock(held.first.lock);
      });
    };
    return all_shared(weak) && all_shared(other) ? RaceRule::SharedLock : RaceRule::WrongLock;
  }
  if (!is_write(weak)) return RaceRule::ReadWrite;
  if (has_lock(other)) return RaceRule::UnprotectedWrite;
  return is_write(other) ? RaceRule::WriteWrite : RaceRule::UnprotectedWrite;
}

// How often each lock is held at accesses of one group: the one that is held most is meant to protect it.
using LockUses = std::map<il::Path, unsigned>;

unsigned best_lock(const Side& side, const LockUses& uses) {
  unsigned best = 0;
  for (const auto& [key, count] : side.access.locks.held)
    if (auto entry = uses.find(key.lock); entry != uses.end() && !is_role_lock(key.lock))
      best = std::max(best, entry->second);
  return best;
}

// The locks of other objects than the one that is accessed.
bool has_foreign_locks_only(const Side& side) {
  return std::ranges::all_of(side.access.locks.held, [&](const auto& held) {
    const il::Path& lock = held.first.lock;
    return is_role_lock(lock) ||
           (lock.root.kind == il::RootKind::Formal && lock.root != side.access.path.root);
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

// Of a thread: what it runs.
il::Name function_of(const il::Method& method) { return method.body.empty() ? method.name : method.body; }

struct Found {
  const Side* weak;
  const Side* other;
  std::string why;
};

// The way to a place that is reported already: x->f of x->f->g.
bool says_nothing_new(const Found& race, const std::vector<Race>& kept) {
  return std::ranges::any_of(kept, [&](const Race& other) {
    const il::Location &a = race.weak->place.at, &b = other.weak.place.at;
    return other.weak.method->name == function_of(*race.weak->method) && a.file == b.file &&
           a.line == b.line &&
           (is_prefix(race.weak->access.path, other.weak.access.path) ||
            is_prefix(other.weak.access.path, race.weak->access.path));
  });
}

// What says most comes first.
auto order(const Found& race) {
  const Side &weak = *race.weak, &other = *race.other;
  using Order = std::tuple<bool, bool, bool, bool, const il::Location&, const il::Location&, il::Name,
                           il::Name, const il::Path&, const il::Path&>;
  return Order(!is_write(weak), !has_lock(other), weak.method == other.method, !is_write(other),
               weak.place.at, other.place.at, weak.method->name, other.method->name, weak.access.path,
               other.access.path);
}

class Pairing {
public:
  Pairing(const il::Program& program, const Summaries& summaries, const Rules& rules, PairingCounts& counts)
      : concurrency_(program, summaries), rules_(rules), counts_(counts) {
    for (const il::Method& method : program.methods)
      if (bool entered = concurrency_.may_be_entered(method); entered || summaries.at(method.name).spawns) {
        own_threads_.emplace(&method, entered ? concurrency_.why_own_thread(method) : "");
        collect(method, summaries.at(method.name), entered);
      }
  }

  std::vector<Race> run() {
    candidates_.each_pair([&](const Candidate& a, const Candidate& b) { consider(a, b); });
    return best();
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
    for (const auto& [access, place] : accesses.all()) {
      const il::Root& root = access.path.root;
      il::Name frame = il::frame_of(root);
      if (frame.empty() ? !entered : frame != method.name && method.body.empty()) continue;
      if (access.order != Order::Unknown && !may_run_beside_others(method, access)) continue;
      Candidate candidate{{&method, access, place}, {}};
      if (root.kind == il::RootKind::Formal) {
        if (root.index >= method.formals.size()) continue;
        bool is_this = method.has_this && root.index == 0;
        candidate.object_class = is_this ? method.of_class : method.formals[root.index].type;
        if (candidate.object_class.empty() || (is_this && method.constructor)) continue;
        // Of an object that was handed in, the callers say more than the callee.
        if (!is_this && !concurrency_.may_begin_calls(method)) continue;
      } else if (frame.empty() && (method.constructor || (!concurrency_.may_begin_calls(method) &&
                                                          own_threads_.at(&method).empty()))) {
        continue; // its callers have this access too, with the locks that they hold
      }
      for (const auto& [key, count] : access.locks.held) {
        ++uses_[group_key(access.path)][key.lock];
        if (is_once_lock(key.lock) && key.mode == il::LockMode::Exclusive)
          made_once_.emplace(group_key(access.path), key.lock);
      }
      candidates_.add(std::move(candidate));
    }
  }

  // What a handler does before it starts threads is not before the threads of main. An object may be one that only its own
  // threads get to see.
  bool may_run_beside_others(const il::Method& method, const AccessKey& access) const {
    return access.order == Order::BeforeStart && access.path.root.kind == il::RootKind::Global &&
           !il::is_frame_variable(access.path.root) && concurrency_.may_run_beside_threads_of_main(method);
  }

  void consider(const Candidate& a, const Candidate& b) {
    const Side &x = a.side, &y = b.side;
    bool global = a.object_class.empty();
    if (global != b.object_class.empty()) return;
    if (!global && !concurrency_.may_be_same_object(a.object_class, b.object_class)) return;
    if (global && x.access.path.root != y.access.path.root) return;
    if (!may_race(x.access, y.access, {x.access.path.root, y.access.path.root}, rules_)) return;
    if (may_take_turns(x, y)) {
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
    races_.push_back({&weak, &other, std::move(why)});
  }

  // To have passed std::call_once() says nothing of what was not made there.
  bool is_evidence(const Side& side, const LockKey& key) const {
    if (is_ticket_lock(key.lock)) return false;
    return !is_once_lock(key.lock) || made_once_.contains({group_key(side.access.path), key.lock});
  }

  // A lock that is there for this object: a member, or one that a member points to, or one that lies beside what is accessed
  // (this->impl->mutex for this->impl->x), or a global, or one that is handed in and not another object's. What belongs to another object protects something else.
  bool has_own_lock(const Side& side) const {
    return std::ranges::any_of(side.access.locks.held, [&](const auto& held) {
      const il::Path& lock = held.first.lock;
      if (!is_evidence(side, held.first)) return false;
      if (is_unknown(lock) || lock.root.kind == il::RootKind::Global) return true;
      if (lock.root != side.access.path.root && lock.steps == std::vector{il::deref()})
        return concurrency_.has_own_lock_in(*side.method, lock.root.index);
      if (lock.root != side.access.path.root || lock.steps.size() < 2) return false;
      il::Path member(lock.root, {lock.steps.begin(), lock.steps.end() - 1});
      return !il::has_deref_after(member, 1) || il::is_prefix(member, side.access.path);
    });
  }

  // A lock of some object protects that object: that it is held while a global is used may be chance, unless that is a
  // static member of the same class.
  // In a library, which is called by others, a lock that cannot be named may be of anything.
  bool has_global_lock(const Side& side) const {
    bool member = side.method->has_this && is_member(side.access.path.root.name, *side.method);
    return std::ranges::any_of(side.access.locks.held, [&](const auto& held) {
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
           may_be_handed_over(x.access.turn, x.access.path.root, y.access.turn, y.access.path.root);
  }

  static std::string locked_in(const Side& side) {
    return "'" + describe(side.access.path) + "' is accessed with a lock in " + side.method->shown.text();
  }
  static std::string locked_elsewhere(const Side& x, const Side& y) {
    const Side& locked = has_lock(x) ? x : y;
    return has_lock(locked) ? locked_in(locked) : "";
  }

  bool has_lock_of_object(const Side& side) const {
    return std::ranges::any_of(side.access.locks.held, [&](const auto& held) {
      return held.first.lock.root == side.access.path.root && is_evidence(side, held.first);
    });
  }

  // The other runs what the thread consists of, in its place: start() { run(); } beside start_async().
  bool must_be_one_loop(const Side& thread, const Side& other) const {
    if (!own_threads_.at(other.method).empty()) return false; // two threads
    return std::ranges::any_of(concurrency_.loops_of(*thread.method), [&](il::Name loop) {
      return other.method->name == loop ||
             (!other.place.calls.empty() && other.place.calls.front().callee == loop);
    });
  }

  std::string several(const Side& side) const {
    const std::string& why = own_threads_.at(side.method);
    return why.empty() ? "" : why + ", and there are several of them";
  }

  // The function of a thread, and the thread that runs it: two threads of it are told apart by where they are started.
  static bool must_be_one_thread(const Side& x, const Side& y) {
    return x.method->body == y.method->name || y.method->body == x.method->name;
  }

  // Both are made by the thread that was given the same number, or name, or task.
  static bool have_one_role(const Side& x, const Side& y) {
    return std::ranges::any_of(x.access.locks.held, [&](const auto& held) {
      return is_role_lock(held.first.lock) && y.access.locks.held.contains(held.first);
    });
  }

  // One of the two runs on a thread of its own. Two runs of one entry are not assumed unless it is started several times. A thread that
  // is given its turn by an atomic and gives it back is not assumed to run against those who wait for it.
  std::string own_thread(const Side& x, const Side& y) const {
    if (have_one_role(x, y)) return "";
    if (x.method == y.method)
      return concurrency_.may_be_crowd(*x.method, x.access.path.root) ? several(x) : "";
    if (must_be_one_thread(x, y) || concurrency_.must_be_apart(*x.method, *y.method)) return "";
    bool x_is_entry = !own_threads_.at(x.method).empty();
    const Side &thread = x_is_entry ? x : y, &other = x_is_entry ? y : x;
    bool ordered = must_be_one_loop(thread, other) ||
                   has_own_turn(thread.access.turn, thread.access.path.root, other.access.turn,
                                other.access.path.root) ||
                   // pool.wait(): what it waits for may be the end of all tasks
                   (other.access.waited && concurrency_.is_task(*thread.method)) ||
                   concurrency_.must_be_setting_up(*other.method, *thread.method);
    return ordered ? "" : own_threads_.at(thread.method);
  }

  std::string why_object(const Candidate& a, const Candidate& b) const {
    const Side &x = a.side, &y = b.side;
    bool methods = is_this(x) && is_this(y);
    if (std::string why = concurrency_.shared_by_contract(a.object_class); methods && !why.empty())
      return why;
    if (const il::Guard* guard = concurrency_.guard_of(a.object_class, x.access.path); methods && guard)
      return "'" + std::string(guard->pointee ? "*" : "") + std::string(il::field_name(guard->field)) +
             "' is declared to be guarded by '" + describe(guard->by.lock) + "'";
    if (methods) {
      if (has_own_lock(x) || has_own_lock(y)) return locked_elsewhere(x, y);
      return own_thread(x, y);
    }
    if (x.method == y.method && concurrency_.may_be_crowd(*x.method, x.access.path.root))
      return have_one_role(x, y) ? "" : several(x);
    // Functions that are given the object: only a lock of that same object is a reason.
    if (has_lock_of_object(x)) return locked_in(x);
    return has_lock_of_object(y) ? locked_in(y) : "";
  }

  std::string why_global(const Side& x, const Side& y) const {
    if (il::is_frame_variable(x.access.path.root)) return own_thread(x, y);
    bool library = concurrency_.is_for_others(*x.method) && concurrency_.is_for_others(*y.method);
    if (concurrency_.has_all_threads() && !library) return own_thread(x, y);
    if (has_global_lock(x) || has_global_lock(y)) return locked_elsewhere(x, y);
    return own_thread(x, y);
  }

  // A thread is shown as the function that it runs.
  Side as_shown(const Side& side) const {
    if (side.method->body.empty()) return side;
    Side shown = side;
    shown.method = &concurrency_.body_of(*side.method);
    shown.place.calls.erase(shown.place.calls.begin());
    return shown;
  }

  static bool is_this(const Side& side) { return side.method->has_this && side.access.path.root.index == 0; }

  // Of all races of one access, the one that says most; a read beside a write of the same place says nothing new.
  std::vector<Race> best() {
    std::ranges::sort(races_, [](const Found& a, const Found& b) { return order(a) < order(b); });
    std::set<std::tuple<il::Name, il::Path, bool>> repaired;
    std::set<std::tuple<il::Location, il::Location>> places;
    std::vector<Race> kept;
    for (Found& race : races_) {
      auto place = std::minmax(race.weak->place.at, race.other->place.at);
      bool news =
          repaired.insert({function_of(*race.weak->method), race.weak->access.path, has_lock(*race.weak)})
              .second;
      // Of two accesses without a lock, one report shows both.
      if (news && !has_lock(*race.other))
        repaired.insert({function_of(*race.other->method), race.other->access.path, false});
      // Instances of one template are one defect.
      if (news && places.insert({place.first, place.second}).second && !says_nothing_new(race, kept))
        kept.push_back({rule_of(*race.weak, *race.other), as_shown(*race.weak), as_shown(*race.other),
                        std::move(race.why)});
      else
        ++counts_.duplicates;
    }
    counts_.reported = unsigned(kept.size());
    std::ranges::sort(kept, {},
                      [](const Race& race) { return std::tuple(race.weak.place.at, race.other.place.at); });
    return kept;
  }

  Concurrency concurrency_;
  const Rules& rules_;
  PairingCounts& counts_;
  std::unordered_map<const il::Method*, std::string> own_threads_; // why; empty: it has none
  std::map<il::Name, LockUses> uses_;                              // by group_key
  std::set<std::pair<il::Name, il::Path>> made_once_;              // by group_key
  Candidates candidates_;
  std::vector<Found> races_;
};

} // namespace

std::vector<Race> pair(const il::Program& program, const Summaries& summaries, const Rules& rules,
                       PairingCounts* counts) {
  PairingCounts unused;
  return Pairing(program, summaries, rules, counts ? *counts : unused).run();
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
