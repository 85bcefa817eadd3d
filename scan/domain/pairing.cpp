#include "scan/domain/pairing.h"

#include "scan/domain/belief.h"
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

// "write of 'x' in f at file.c:3, by way of g; with 'm'"
std::string line_of(const Side& side) {
  const il::Location& at = side.place.at;
  std::string text = std::string(is_write(side) ? "write" : "read") + " of '" + describe_access(side) +
                     "' at " + at.file.text() + ":" + std::to_string(at.line) + ", in " +
                     side.method->shown.text();
  std::string locks;
  for (const auto& [key, count] : side.access.locks->held)
    if (!is_role_lock(key.lock)) locks += (locks.empty() ? "" : ", ") + describe(key.lock, *side.names);
  return text + (locks.empty() ? ", without a lock" : ", with " + locks);
}

class Pairing {
public:
  Pairing(const il::Program& program, const Summaries& summaries, const Rules& rules, PairingCounts& counts,
          Explanation* explanation)
      : concurrency_(program, summaries), belief_(concurrency_), rules_(rules), counts_(counts),
        explanation_(explanation) {
    std::vector<const il::Method*> of_main;
    for (const il::Method& method : program.methods)
      if (bool entered = concurrency_.may_be_entered(method); entered || summaries.at(method.name).spawns) {
        facts_.emplace(&method,
                       MethodFacts{entered ? concurrency_.why_own_thread(method) : "",
                                   concurrency_.loops_of(method), concurrency_.is_for_others(method)});
        if (is_of_main(method))
          of_main.push_back(&method); // comes last
        else
          collect(method, summaries.at(method.name), entered);
      }
    for (const il::Method* method : of_main)
      collect(*method, summaries.at(method->name), concurrency_.may_be_entered(*method));
  }

  std::vector<Race> run() {
    candidates_.each_pair([&](const Candidate& a, const Candidate& b) { consider(a, b); });
    std::vector<Found> races;
    for (auto& [weak, race] : races_) races.push_back(std::move(race));
    return best_of(std::move(races), concurrency_, counts_);
  }

private:
  // In a program with all its threads: neither a thread nor there for others to call.
  bool is_of_main(const il::Method& method) const {
    const MethodFacts& facts = facts_.at(&method);
    return concurrency_.has_all_threads() && facts.own_thread.empty() && !facts.for_others;
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
      Candidate candidate{.side = {&method, access, place, &facts, &method}, .object_class = {}};
      auto leave_out = [&](Doubt doubt) { this->leave_out(candidate.side, doubt); };
      if (frame.empty() ? !entered && !beside_only : frame != method.name && method.body.empty()) continue;
      candidate.in_order =
          beside_only || (access.order != Order::Unknown && !may_run_beside_others(method, access));
      if (candidate.in_order &&
          (root.kind != il::RootKind::Global || !summary.spawns || !method.body.empty())) {
        leave_out(Doubt::InOrder);
        continue;
      }
      candidate.of_main = root.kind == il::RootKind::Global && is_of_main(method);
      if (root.kind == il::RootKind::Formal) {
        if (root.index >= method.formals.size()) continue;
        bool is_this = method.has_this && root.index == 0;
        candidate.object_class = is_this ? method.of_class : method.formals[root.index].type;
        candidate.is_given = !is_this;
        if (candidate.object_class.empty() || (is_this && method.constructor)) {
          leave_out(Doubt::NotSharedObject);
          continue;
        }
        // Of an object that was handed in, the callers say more than the callee.
        if (!is_this && !concurrency_.may_begin_calls(method)) continue;
      } else if (frame.empty() && !beside_only &&
                 (method.constructor ||
                  (!concurrency_.may_begin_calls(method) && facts.own_thread.empty()))) {
        continue; // its callers have this access too, with the locks that they hold
      } else if (frame.empty() && belief_.must_be_made_before(candidate.side)) {
        leave_out(Doubt::MadeBefore);
        continue;
      } else if (frame.empty() && concurrency_.must_be_seen_elsewhere(method, place.calls)) {
        leave_out(Doubt::SeenElsewhere);
        continue;
      }
      const Side& side = candidate.side;
      if (!beside_only) // else its callers have it too
        for (const auto& [key, count] : access.locks->held) ++uses_[group_key(access.path)][key.lock];
      belief_.note(candidate, !beside_only);
      candidate.alone = Belief::must_be_alone(side) ||
                        (facts.own_thread.empty() && !has_lock(side) && set_up.must_prepare(access, place));
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
    if (global && x.access.path->root != y.access.path->root) return;
    std::optional<Doubt> ordered = order_of(a, b);
    if (ordered && !explanation_) return;
    if (!may_race(x.access, y.access, {x.access.path->root, y.access.path->root}, rules_)) return;
    if (ordered) return explain(x, y, *ordered);
    if (a.alone || b.alone) return doubt(x, y, Doubt::Alone);
    if (Belief::may_take_turns(x, y)) return doubt(x, y, Doubt::TakeTurns);
    Opinion opinion = belief_.opinion(a, b);
    if (opinion.why.empty()) return doubt(x, y, opinion.doubt);
    const Side& weak = must_be_repaired_first(x, y, uses_[group_key(x.access.path)]) ? x : y;
    const Side& other = &weak == &x ? y : x;
    keep_best({&weak, &other, std::move(opinion.why)});
  }

  // What is known of the two without looking at their locks: asked first, as most pairs of a large program are so.
  std::optional<Doubt> order_of(const Candidate& a, const Candidate& b) const {
    if (a.object_class.empty() && must_be_one_main_thread(a.side, b.side)) return Doubt::OneMainThread;
    // Functions that are given an object: nothing says that it is shared.
    if (a.is_given && b.is_given && !has_lock(a.side) && !has_lock(b.side) && a.side.method != b.side.method)
      return Doubt::NoReason;
    if ((a.in_order && !is_beside(a.side, b.side)) || (b.in_order && !is_beside(b.side, a.side)))
      return Doubt::NotBeside;
    return std::nullopt;
  }

  void doubt(const Side& x, const Side& y, Doubt reason) {
    ++counts_.doubted[reason];
    explain(x, y, reason);
  }

  bool is_asked_for(const Side& side) const {
    return explanation_ && describe_access(side).find(explanation_->memory) != std::string::npos;
  }
  void leave_out(const Side& side, Doubt reason) {
    if (is_asked_for(side))
      explanation_->lines.insert(line_of(side) + "\n    not compared: " + std::string(to_text(reason)));
  }
  void explain(const Side& x, const Side& y, Doubt reason) {
    if (is_asked_for(x) || is_asked_for(y))
      explanation_->lines.insert(line_of(x) + "\n" + line_of(y) +
                                 "\n    not reported: " + std::string(to_text(reason)));
  }

  // Both are the main thread's, in a program with all its threads (pairs of two that are known to be are not even made,
  // candidates.h).
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

  const Concurrency concurrency_;
  Belief belief_;
  const Rules& rules_;
  PairingCounts& counts_;
  Explanation* const explanation_; // null: nobody asks
  std::unordered_map<const il::Method*, MethodFacts> facts_;
  std::map<il::Name, LockUses> uses_; // by group_key
  Candidates candidates_;
  std::unordered_map<const Side*, Found> races_; // by the access to be repaired
};

} // namespace

std::vector<Race> pair(const il::Program& program, const Summaries& summaries, const Rules& rules,
                       PairingCounts* counts, Explanation* explanation) {
  PairingCounts unused;
  return Pairing(program, summaries, rules, counts ? *counts : unused, explanation).run();
}

std::vector<Race> find_races(const il::Program& program, const Summaries& summaries, const Options& options,
                             PairingCounts* counts, Explanation* explanation) {
  std::vector<Race> races = pair(program, summaries, {}, counts, explanation);
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
