#include "scan/domain/analysis.h"

#include "scan/domain/call_graph.h"
#include "scan/domain/flow.h"
#include "scan/domain/spawns.h"

#include <algorithm>

namespace footrace::scan::domain {

namespace {

constexpr unsigned max_rounds = 4; // for recursive methods

class Collector {
public:
  Collector(const il::Method& method, const Options& options, const Rules& rules, const FindSummary& find)
      : method_(method), options_(options), rules_(rules), find_(find) {}

  Summary run() {
    if (method_.has_this && (method_.constructor || method_.destructor))
      summary_.wobbly.add(il::Path(il::formal(0, "this")), changed);
    auto states = flow(method_, options_, rules_, find_);
    before_spawns_ =
        before_spawns(method_, [&](const il::Statement& statement) { return may_spawn(statement); });
    summary_.spawns = std::ranges::any_of(before_spawns_, [](std::size_t n) { return n > 0; });
    for (unsigned b = 0; b < states.size(); ++b)
      if (states[b]) block(b, *states[b]);
    if (!ends_) summary_.locks = {};
    summary_.returns = ends_ || method_.blocks.empty();
    if (options_.domain == Domain::Stability) keep_stable();
    return std::move(summary_);
  }

private:
  void block(unsigned number, FlowState state) {
    const il::Block& block = method_.blocks[number];
    for (std::size_t i = 0; i < block.statements.size(); ++i) {
      const il::Statement& statement = block.statements[i];
      il::Statement here = resolved(statement, state.aliases);
      alone_ = state.joined || i < before_spawns_[number];
      accs(statement, state);
      if (const auto* call = std::get_if<il::Call>(&here.what))
        compose(*call, here.at, state);
      else
        rules_.wobbly(summary_.wobbly, here);
      if (const auto* leave = std::get_if<il::Return>(&here.what)) returns(leave->value, state);
      step(state, here, rules_, find_);
      if (must_end_here(here, find_)) return;
    }
    if (!block.successors.empty()) return;
    state.locks.return_assumed();
    summary_.locks = ends_ ? rules_.join(summary_.locks, state.locks) : state.locks;
    summary_.joins |= state.joined;
    summary_.waits |= state.waited;
    ends_ = true;
  }

  bool may_spawn(const il::Statement& statement) const {
    const auto* call = std::get_if<il::Call>(&statement.what);
    if (!call) return false;
    if (call->kind != il::CallKind::Plain) return call->kind == il::CallKind::Spawn;
    const Summary* callee = find_(call->callee);
    return callee && callee->spawns;
  }
  // Figure 7, `accs`. What a local stands for was read when the local was set, so only the written path is followed.
  void accs(const il::Statement& statement, const FlowState& state) {
    for (const auto& [written, kind] : rules_.touched_by(statement).accesses) {
      if (written.is_variable() && written.root.kind == il::RootKind::Local) continue;
      il::Path path = state.aliases.resolve(written);
      summary_.accesses.add(
          {path, kind, state.locks, unless(state.ownership.of_access(path)), alone_, state.waited},
          {{}, statement.at});
    }
  }

  // Figure 7, the call rule.
  void compose(const il::Call& call, const il::Location& at, const FlowState& state) {
    const Summary* callee = call.kind == il::CallKind::Plain ? find_(call.callee) : nullptr;
    if (!callee) return rules_.wobbly_unknown_call(summary_.wobbly, call.actuals);
    rules_.wobbly_call(summary_.wobbly, callee->wobbly, call.actuals, options_.wobbling);
    for (const auto& [key, place] : callee->accesses.all()) {
      std::optional<il::Path> path = rules_.substitute(key.path, call.actuals);
      if (!path) continue;
      AccessPlace here{{{call.callee, at}}, place.at};
      here.calls.insert(here.calls.end(), place.calls.begin(), place.calls.end());
      Owned owner = path->root.kind == il::RootKind::Global && key.path.root.kind == il::RootKind::Global
                        ? key.unless
                        : precondition(key.unless, call.actuals, state.ownership);
      LockState locks = rules_.add(state.locks, in_caller(key.locks, call.actuals, rules_));
      summary_.accesses.add(
          {*path, key.kind, std::move(locks), unless(owner), key.alone || alone_, key.waited || state.waited},
          here);
    }
  }

  void returns(const il::Value& value, const FlowState& state) {
    bool shared = (value.kind == il::ValueKind::Path || value.kind == il::ValueKind::Address) &&
                  value.path.root.kind != il::RootKind::Local;
    il::Value seen = shared ? value : il::nothing();
    if (!summary_.returned_known)
      summary_.returned = seen;
    else if (summary_.returned != seen)
      summary_.returned = il::nothing();
    summary_.returned_known = true;
    summary_.returned_owned = both(summary_.returned_owned, state.ownership.of(value));
  }

  Owned unless(const Owned& owner) const {
    return options_.domain == Domain::Ownership ? owner : not_owned();
  }

  // Theorem 6.10, second condition. A path that is unstable here stays so in every caller; a lock whose path is not stable
  // may be any lock.
  void keep_stable() {
    auto stable = [&](const il::Path& path) {
      return rules_.must_be_stable(summary_.wobbly, path, options_.wobbling);
    };
    auto named = [&](const il::Path& lock) {
      return !is_unknown(lock) && stable(lock) ? lock : unknown_lock();
    };
    Accesses kept;
    for (const auto& [key, place] : summary_.accesses.all()) {
      if (!stable(key.path)) continue;
      AccessKey renamed = key;
      renamed.locks = map_locks(key.locks, named);
      kept.add(renamed, place);
    }
    summary_.accesses = std::move(kept);
    // The caller will take the result for that path: it must still be what it was at the call.
    const il::Value& value = summary_.returned;
    bool kept_value =
        value.kind == il::ValueKind::Address ? stable(value.path) : stable(value.path.then(il::deref()));
    if (!kept_value) summary_.returned = il::nothing();
  }

  const il::Method& method_;
  const Options& options_;
  const Rules& rules_;
  const FindSummary& find_;
  Summary summary_;
  bool ends_ = false;
  bool alone_ = false; // at the current statement
  std::vector<std::size_t> before_spawns_;
};

void summarize_component(const std::vector<unsigned>& members, const il::Program& program,
                         const Options& options, const Rules& rules, Summaries& summaries) {
  bool recursive = members.size() > 1 || calls_itself(program.methods[members[0]]);
  for (unsigned round = 0; round < (recursive ? max_rounds : 1u); ++round) {
    bool changed = false;
    for (unsigned m : members) {
      const il::Method& method = program.methods[m];
      Summary next = summarize(method, options, rules, summaries);
      auto before = summaries.find(method.name);
      changed |= before == summaries.end() || !before->second.has_same_effect(next);
      summaries.insert_or_assign(method.name, std::move(next));
    }
    if (!changed) return;
  }
}

} // namespace

Summary summarize(const il::Method& method, const Options& options, const Rules& rules,
                  const Summaries& callees) {
  FindSummary find = [&](il::Name name) {
    auto entry = callees.find(name);
    return entry == callees.end() ? nullptr : &entry->second;
  };
  return Collector(method, options, rules, find).run();
}

Summaries summarize(const il::Program& program, const Options& options, const Rules& rules) {
  Summaries summaries;
  for (const std::vector<unsigned>& members : components(program))
    summarize_component(members, program, options, rules, summaries);
  return summaries;
}

} // namespace footrace::scan::domain
