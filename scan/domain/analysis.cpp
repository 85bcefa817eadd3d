#include "scan/domain/analysis.h"

#include "scan/domain/call_graph.h"
#include "scan/domain/composition.h"
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
    find_sends(states);
    for (unsigned b = 0; b < states.size(); ++b)
      if (states[b]) block(b, *states[b]);
    if (!ends_) summary_.locks = {}, summary_.history = {};
    leave(summary_.locks, summary_.history, kept_);
    summary_.returns = ends_ || method_.blocks.empty();
    summary_.ends_program = !summary_.returns && must_end_program(method_, find_);
    take_over();
    const bool stability = options_.domain == Domain::Stability;
    Known known;
    auto change = [&](AccessKey& key) { return !stability || keep_stable(key, known); };
    summary_.accesses = accesses_.take(stability ? Ways::All : Ways::Common, change, &summary_.left_out);
    if (stability) keep_stable_values();
    summary_.left_out |= taken_over_ > Summary::max_taken_over;
    return std::move(summary_);
  }

private:
  void block(unsigned number, FlowState state) {
    const il::Block& block = method_.blocks[number];
    for (std::size_t i = 0; i < block.statements.size(); ++i) {
      const il::Statement& statement = block.statements[i];
      il::Statement here = resolved(statement, state.aliases);
      order_ = order_at(state, i < before_spawns_[number]);
      sent_ = sent_after(number, i);
      accs(statement, state);
      if (const auto* call = std::get_if<il::Call>(&here.what)) {
        // On the way to exit(), the others will not go on for long.
        if (!is_last_of_program(block, number, i, find_)) compose(*call, here.at, state);
      } else
        rules_.wobbly(summary_.wobbly, here);
      if (const auto* leave = std::get_if<il::Return>(&here.what)) returns(leave->value, state);
      step(state, here, rules_, find_);
      if (must_end_here(here, find_)) return;
    }
    if (may_leave_after(block)) kept_.merge(certain(state.locks, state.history));
    if (!block.successors.empty()) return;
    state.locks.return_assumed();
    summary_.history =
        ends_ ? join(summary_.history, summary_.locks, state.history, state.locks) : state.history;
    summary_.locks = ends_ ? rules_.join(summary_.locks, state.locks) : state.locks;
    summary_.joins |= state.joined;
    summary_.ends_threads = (ends_ ? summary_.ends_threads : true) && state.has_ended_threads();
    summary_.waits |= state.waited;
    summary_.received.add(state.received);
    summary_.window = join(summary_.window, state.window);
    ends_ = true;
  }

  // The last that a method does, before the ways to its end meet.
  bool may_leave_after(const il::Block& block) const {
    auto is_end = [](const il::Block& b) { return b.successors.empty() && b.statements.empty(); };
    return std::ranges::any_of(block.successors, [&](unsigned b) { return is_end(method_.blocks[b]); }) ||
           (block.successors.empty() && !block.statements.empty());
  }

  static Order order_at(const FlowState& state, bool before_spawn) {
    if (state.has_ended_threads()) return Order::Alone;
    if (before_spawn) return Order::BeforeStart;
    return state.joined ? Order::Alone : Order::Unknown;
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
    if (!method_.ignored.empty()) return;
    for (const auto& [written, kind] : rules_.touched_by(statement).accesses) {
      if (written.is_variable() && written.root.kind == il::RootKind::Local) continue;
      il::Path path = state.aliases.resolve(written);
      accesses_.add({path, kind, state.locks, unless(state.ownership.of_access(path)), order_, state.waited,
                     Turn{state.received, sent_, open_in(state.window)}},
                    {{}, statement.at});
    }
  }

  // Figure 7, the call rule.
  void compose(const il::Call& call, const il::Location& at, const FlowState& state) {
    if (call.kind == il::CallKind::Receive || call.kind == il::CallKind::Send)
      return; // no pointer goes anywhere
    if (const Summary* thread = call.kind == il::CallKind::Spawn ? find_(call.callee) : nullptr)
      return rules_.wobbly_spawn(summary_.wobbly, thread->wobbly, call.actuals, options_.wobbling);
    const Summary* callee = call.kind == il::CallKind::Plain ? find_(call.callee) : nullptr;
    if (call.kind == il::CallKind::Plain) note_call(call, state);
    if (call.kind == il::CallKind::Invoke) note_invocation(call, state);
    if (!callee) return unknown_call(call);
    rules_.wobbly_call(summary_.wobbly, callee->wobbly, call.actuals, options_.wobbling);
    auto [first, fresh] = calls_.try_emplace(context_of(call, state), at);
    if (!fresh) first->second = std::min(first->second, at);
    invoke(call, *callee, at, state);
  }

  CallContext context_of(const il::Call& call, const FlowState& state) const {
    bool ownership = options_.domain == Domain::Ownership;
    return {call.callee,
            call.actuals,
            ownership ? owners_of(call.actuals, state.ownership) : std::vector<Owned>(),
            state.locks,
            order_,
            state.waited,
            Turn{state.received, sent_, {}},
            options_.windows ? state.window : Window(),
            call.anew};
  }

  // Figure 7, the call rule for A.
  void take_over() {
    for (const auto& [context, at] : calls_) {
      const CallSite call{context.callee, at};
      Composition composition(context, rules_, options_);
      for (const auto& [key, place] : find_(context.callee)->accesses.all()) {
        if (++taken_over_ > Summary::max_taken_over) return;
        if (std::optional<AccessKey> here = composition.in_caller(key)) accesses_.add(*here, call, place);
      }
    }
  }

  // Whoever has a closure may do with what it captured as unknown code does.
  void unknown_call(const il::Call& call) {
    rules_.wobbly_unknown_call(summary_.wobbly, call.actuals);
    for (const il::Closure& closure : call.closures)
      rules_.wobbly_unknown_call(summary_.wobbly, closure.captured);
  }

  void note_invocation(const il::Call& call, const FlowState& state) {
    if (call.actuals.empty() || call.actuals[0].path.root.kind != il::RootKind::Formal) return;
    add_invocation({call.actuals[0].path.root.index,
                    call.callee,
                    {call.actuals.begin() + 1, call.actuals.end()},
                    state.locks,
                    order_});
  }
  void add_invocation(Invocation invocation) {
    if (summary_.invocations.size() < Summary::max_invocations)
      summary_.invocations.insert(std::move(invocation));
  }

  // The callee calls what it was passed: a closure that is known here, or a formal of ours that is passed on.
  void invoke(const il::Call& call, const Summary& callee, const il::Location& at, const FlowState& state) {
    for (const il::Closure& closure : call.closures)
      if (!callee.invokes(closure.formal)) rules_.wobbly_unknown_call(summary_.wobbly, closure.captured);
    for (const Invocation& inner : callee.invocations) {
      std::vector<il::Value> arguments;
      for (const il::Value& actual : inner.actuals) arguments.push_back(substitute(actual, call.actuals));
      FlowState there = state;
      there.locks = rules_.add(state.locks, in_caller(inner.locks, call.actuals, rules_));
      auto closure = closure_in(call, inner);
      if (closure != call.closures.end()) {
        arguments.insert(arguments.begin(), closure->captured.begin(), closure->captured.end());
        bool known = !inner.function.empty() && find_(inner.function);
        Order outer = order_;
        order_ = std::max(inner.order, order_);
        compose({std::nullopt, known ? inner.function : closure->function, std::move(arguments)}, at, there);
        order_ = outer;
      } else if (auto own = passed_on(call, inner.formal)) {
        add_invocation(
            {*own, inner.function, std::move(arguments), there.locks, std::max(inner.order, order_)});
      }
    }
  }
  // A closure of several types has a function for each.
  static std::vector<il::Closure>::const_iterator closure_in(const il::Call& call, const Invocation& inner) {
    auto exact = std::ranges::find_if(call.closures, [&](const il::Closure& closure) {
      return closure.formal == inner.formal && closure.function == inner.function;
    });
    if (exact != call.closures.end()) return exact;
    return std::ranges::find(call.closures, inner.formal, &il::Closure::formal);
  }
  static std::optional<unsigned> passed_on(const il::Call& call, unsigned formal) {
    if (formal >= call.actuals.size()) return std::nullopt;
    const il::Value& actual = call.actuals[formal];
    bool known = actual.kind == il::ValueKind::Path || actual.kind == il::ValueKind::Address;
    bool whole = actual.path.is_variable() || actual.path.steps == std::vector{il::deref()};
    if (!known || !whole || actual.path.root.kind != il::RootKind::Formal) return std::nullopt;
    return actual.path.root.index;
  }

  void note_call(const il::Call& call, const FlowState& state) {
    // What unknown code does is in nobody's summary: that a lock is held says nothing about it.
    bool locked = find_(call.callee) && state.locks.has_locks();
    bool in_order = order_ != Order::Unknown || locked || is_on_unfinished_object(call);
    summary_.calls.try_emplace(call.callee, true).first->second &= in_order;
  }
  bool is_on_unfinished_object(const il::Call& call) const {
    if (!(method_.constructor || method_.destructor) || call.actuals.empty()) return false;
    const il::Value& object = call.actuals[0];
    bool known = object.kind == il::ValueKind::Path || object.kind == il::ValueKind::Address;
    il::Path place = object.kind == il::ValueKind::Address ? object.path : object.path.then(il::deref());
    return known && place.root == il::formal(0, "this") && !il::has_deref_after(place, 1);
  }

  bool may_send(const il::Statement& statement) const {
    const auto* call = std::get_if<il::Call>(&statement.what);
    if (!call) return false;
    const Summary* callee = call->kind == il::CallKind::Plain ? find_(call->callee) : nullptr;
    return call->kind == il::CallKind::Send || (callee && !callee->sent.empty());
  }

  // What each statement sends, and from that what is sent after it.
  void find_sends(const std::vector<std::optional<FlowState>>& states) {
    bool any = std::ranges::any_of(method_.blocks, [&](const il::Block& block) {
      return std::ranges::any_of(block.statements, [&](const il::Statement& s) { return may_send(s); });
    });
    if (!any) return;
    for (unsigned b = 0; b < states.size(); ++b) {
      sends_.emplace_back(method_.blocks[b].statements.size());
      if (!states[b]) continue;
      FlowState state = *states[b];
      for (std::size_t i = 0; i < sends_[b].size(); ++i) {
        il::Statement here = resolved(method_.blocks[b].statements[i], state.aliases);
        if (const auto* call = std::get_if<il::Call>(&here.what)) {
          const Summary* callee = call->kind == il::CallKind::Plain ? find_(call->callee) : nullptr;
          sends_[b][i] = sent_by(*call);
          if (callee) sends_[b][i].add(callee->sent, call->actuals);
        }
        step(state, here, rules_, find_);
      }
    }
    auto before = [&](unsigned b, std::size_t i, Flags after) {
      if (may_take_lock(method_.blocks[b].statements[i])) after.take_lock();
      after.add(sends_[b][i]);
      return after;
    };
    sent_after_ = domain::sent_after(method_, before);
    summary_.sent =
        method_.blocks[0].statements.empty() ? sent_after_[0][0] : before(0, 0, sent_after_[0][0]);
  }

  bool may_take_lock(const il::Statement& statement) const {
    if (const auto* op = std::get_if<il::LockOp>(&statement.what))
      return op->action == il::LockAction::Acquire && !il::is_role_lock(op->lock);
    const auto* call = std::get_if<il::Call>(&statement.what);
    const Summary* callee = call && call->kind == il::CallKind::Plain ? find_(call->callee) : nullptr;
    return callee && !callee->locks.acquired.empty();
  }

  Flags sent_after(unsigned block, std::size_t statement) const {
    return sent_after_.empty() ? Flags() : sent_after_[block][statement];
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

  Flags open_in(const Window& window) const { return options_.windows ? window.open() : Flags(); }

  Owned unless(const Owned& owner) const {
    return options_.domain == Domain::Ownership ? owner : not_owned();
  }

  bool must_be_stable(const il::Path& path) const {
    return rules_.must_be_stable(summary_.wobbly, path, options_.wobbling);
  }
  il::Path named(const il::Path& lock) const {
    return !is_unknown(lock) && must_be_stable(lock) ? lock : unnamed(lock);
  }
  LockState named(const LockState& locks) const {
    return map_locks(locks, [&](const il::Path& lock) { return named(lock); });
  }

  // Many accesses have the same.
  struct Known {
    std::unordered_map<Interned<LockState>, Interned<LockState>, Interned<LockState>::Hash> locks;
    std::unordered_map<Interned<il::Path>, bool, Interned<il::Path>::Hash> stable;
  };

  // Theorem 6.10, second condition. A path that is unstable here stays so in every caller; a lock whose path is not stable
  // may be any lock.
  bool keep_stable(AccessKey& key, Known& known) const {
    auto [path, first] = known.stable.try_emplace(key.path);
    if (first) path->second = must_be_stable(key.path);
    if (!path->second) return false;
    auto [locks, fresh] = known.locks.try_emplace(key.locks);
    if (fresh) locks->second = named(*key.locks);
    key.locks = locks->second;
    return true;
  }

  void keep_stable_values() {
    // The caller will take the result for that path: it must still be what it was at the call.
    auto kept_value = [&](const il::Value& value) {
      bool still =
          must_be_stable(value.kind == il::ValueKind::Address ? value.path : value.path.then(il::deref()));
      return still ? value : il::nothing();
    };
    summary_.returned = kept_value(summary_.returned);
    std::set<Invocation> invocations;
    for (Invocation invocation : summary_.invocations) {
      invocation.locks = named(invocation.locks);
      std::ranges::transform(invocation.actuals, invocation.actuals.begin(), kept_value);
      invocations.insert(std::move(invocation));
    }
    summary_.invocations = std::move(invocations);
  }

  const il::Method& method_;
  const Options& options_;
  const Rules& rules_;
  const FindSummary& find_;
  Summary summary_;
  AccessCollector accesses_;
  std::map<CallContext, il::Location> calls_; // whose accesses are taken over
  bool ends_ = false;
  std::set<il::Path> kept_;      // locks that some exit certainly holds
  std::size_t taken_over_ = 0;   // accesses of callees
  Order order_ = Order::Unknown; // at the current statement
  Flags sent_;                   // after the current statement
  std::vector<std::size_t> before_spawns_;
  std::vector<std::vector<Flags>> sends_; // per block and statement
  std::vector<std::vector<Flags>> sent_after_;
};

// A method that gives back a lock which it did not take was called with it: unlock() of the user's own lock.
il::Method called_with(const LockState& locks, il::Method method) {
  for (const auto& [key, count] : locks.released)
    if (!is_unknown(key.lock)) method.required.push_back({key.lock, key.mode});
  return method;
}

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
  Summary summary = Collector(method, options, rules, find).run();
  if (summary.locks.released.empty() || !method.required.empty()) return summary;
  return Collector(called_with(summary.locks, method), options, rules, find).run();
}

Summaries summarize(const il::Program& program, const Options& options, const Rules& rules,
                    KnownSummaries* known) {
  Summaries summaries;
  for (const std::vector<unsigned>& members : components(program)) {
    std::vector<const il::Method*> methods;
    for (unsigned m : members) methods.push_back(&program.methods[m]);
    if (known && known->recall(methods, summaries)) continue;
    summarize_component(members, program, options, rules, summaries);
    if (known) known->keep(methods, summaries);
  }
  return summaries;
}

} // namespace footrace::scan::domain
