#include "scan/domain/flow.h"

#include <algorithm>
#include <set>

namespace footrace::scan::domain {

namespace {

// A chain t := t->next in a loop must end.
constexpr std::size_t max_alias_steps = 8;

FlowState joined(const FlowState& a, const FlowState& b, const Rules& rules) {
  Flags received = a.received;
  received.add(b.received);
  return {rules.join(a.locks, b.locks),
          join(a.history, a.locks, b.history, b.locks),
          a.joined || b.joined,
          a.joined_here || b.joined_here,
          a.joined_by_call && b.joined_by_call,
          a.waited || b.waited,
          std::move(received),
          join(a.window, b.window),
          join(a.aliases, b.aliases),
          join(a.ownership, b.ownership)};
}

struct Resolver {
  const Aliases& aliases;
  void operator()(il::Assign& assign) {
    assign.value = aliases.resolve(assign.value);
    if (!assign.target.is_variable()) assign.target = aliases.resolve(assign.target);
  }
  void operator()(il::Use& use) {
    if (!use.path.is_variable()) use.path = aliases.resolve(use.path);
  }
  void operator()(il::LockOp& op) { op.lock = aliases.resolve(op.lock); }
  void operator()(il::Call& call) {
    for (il::Value& actual : call.actuals) actual = aliases.resolve(actual);
    for (il::Closure& closure : call.closures)
      for (il::Value& captured : closure.captured) captured = aliases.resolve(captured);
  }
  void operator()(il::Return& leave) { leave.value = aliases.resolve(leave.value); }
};

void call_step(FlowState& state, const il::Call& call, const Rules& rules, const FindSummary& find) {
  const Summary* callee = call.kind == il::CallKind::Plain ? find(call.callee) : nullptr;
  Owned result_owned = owned(); // RacerD: the result of unknown code is the caller's own
  il::Value result;
  state.joined |= call.kind == il::CallKind::Join;
  state.joined_here |= call.kind == il::CallKind::Join;
  state.waited |= call.kind == il::CallKind::Wait;
  state.received.add(received_by(call));
  state.window.receive(received_by(call));
  state.window.send(sent_by(call));
  if (callee) {
    state.joined |= callee->joins;
    state.joined_by_call |= callee->ends_threads;
    state.waited |= callee->waits;
    state.received.add(callee->received, call.actuals);
    state.window.call(callee->received, callee->window, call.actuals);
    const LockState before = state.locks;
    state.locks = rules.add(before, in_caller(callee->locks, call.actuals, rules));
    remember_call(state.history, before, state.locks, in_caller(callee->history, call.actuals, rules));
    result = substitute(callee->returned, call.actuals);
    result_owned = precondition(callee->returned_owned, owners_of(call.actuals, state.ownership));
  }
  // Who was the only thread is not any more.
  if (call.kind == il::CallKind::Spawn || (callee && callee->spawns))
    std::erase_if(state.locks.held, [](const auto& held) { return held.first.lock == il::only_thread(); });
  if (!call.result) return;
  state.aliases.bind(*call.result, result);
  state.ownership.set(il::Path(*call.result), result_owned);
}

} // namespace

il::Path Aliases::resolve(const il::Path& path) const {
  auto entry = known_.find(path.root);
  if (entry == known_.end()) return path;
  il::Path moved = path;
  moved.root = il::formal(0, {});
  std::optional<il::Path> result = substitute(moved, {entry->second});
  return result ? *result : path;
}

il::Value Aliases::resolve(const il::Value& value) const {
  if (value.kind != il::ValueKind::Path && value.kind != il::ValueKind::Address) return value;
  auto entry = known_.find(value.path.root);
  if (value.kind == il::ValueKind::Path && value.path.is_variable() && entry != known_.end())
    return entry->second;
  // The address of a local is the local's, whatever it holds.
  if (value.kind == il::ValueKind::Address && value.path.is_variable()) return value;
  return {value.kind, resolve(value.path)};
}

void Aliases::bind(const il::Root& local, const il::Value& value) {
  if (local.kind != il::RootKind::Local) return;
  known_.erase(local);
  bool shared = (value.kind == il::ValueKind::Path || value.kind == il::ValueKind::Address) &&
                value.path.root.kind != il::RootKind::Local && value.path.steps.size() <= max_alias_steps;
  if (shared) known_.emplace(local, value);
}

Aliases join(const Aliases& a, const Aliases& b) {
  Aliases result;
  for (const auto& [local, value] : a.known_)
    if (auto other = b.known_.find(local); other != b.known_.end() && other->second == value)
      result.known_.emplace(local, value);
  return result;
}

il::Statement resolved(const il::Statement& statement, const Aliases& aliases) {
  il::Statement result = statement;
  std::visit(Resolver{aliases}, result.what);
  return result;
}

void step(FlowState& state, const il::Statement& statement, const Rules& rules, const FindSummary& find) {
  if (const auto* call = std::get_if<il::Call>(&statement.what)) return call_step(state, *call, rules, find);
  if (std::holds_alternative<il::LockOp>(statement.what)) {
    const LockState before = state.locks;
    rules.locking(state.locks, statement);
    remember(state.history, before, state.locks);
  }
  own(state.ownership, statement);
  if (const auto* assign = std::get_if<il::Assign>(&statement.what); assign && assign->target.is_variable())
    state.aliases.bind(assign->target.root, assign->value);
}

bool must_end_here(const il::Statement& statement, const FindSummary& find) {
  const auto* call = std::get_if<il::Call>(&statement.what);
  const Summary* callee = call && call->kind == il::CallKind::Plain ? find(call->callee) : nullptr;
  return callee && !callee->returns;
}

// The block of a call of something that is declared never to return leads to itself.
static bool has_last_call(const il::Block& block, unsigned number) {
  return block.successors == std::vector{number};
}

static const Summary* callee_of(const il::Statement& statement, const FindSummary& find) {
  const auto* call = std::get_if<il::Call>(&statement.what);
  return call && call->kind == il::CallKind::Plain ? find(call->callee) : nullptr;
}

bool is_last_of_program(const il::Block& block, unsigned number, std::size_t statement,
                        const FindSummary& find) {
  if (statement + 1 != block.statements.size() || !has_last_call(block, number)) return false;
  const Summary* callee = callee_of(block.statements[statement], find);
  return callee && callee->ends_program;
}

bool must_end_program(const il::Method& method, const FindSummary& find) {
  enum class Mark { Unseen, Open, Done };
  std::vector<Mark> marks(method.blocks.size(), Mark::Unseen);
  auto visit = [&](auto& self, unsigned number) -> bool {
    if (marks[number] != Mark::Unseen) return marks[number] == Mark::Done; // open: a loop
    marks[number] = Mark::Open;
    const il::Block& block = method.blocks[number];
    bool ends = true;
    auto last = std::ranges::find_if(block.statements,
                                     [&](const il::Statement& s) { return must_end_here(s, find); });
    if (last != block.statements.end())
      ends = callee_of(*last, find)->ends_program;
    else if (!has_last_call(block, number))
      ends = !block.successors.empty() &&
             std::ranges::all_of(block.successors, [&](unsigned next) { return self(self, next); });
    marks[number] = Mark::Done;
    return ends;
  };
  return !method.blocks.empty() && visit(visit, 0);
}

LockState in_caller(const LockState& inner, const Substitution& actuals, const Rules& rules) {
  return map_locks(
      inner, [&](const il::Path& lock) { return rules.substitute(lock, actuals).value_or(unnamed(lock)); });
}

LockHistory in_caller(const LockHistory& inner, const Substitution& actuals, const Rules& rules) {
  return map_locks(
      inner, [&](const il::Path& lock) { return rules.substitute(lock, actuals).value_or(unnamed(lock)); });
}

FlowState entry_state(const il::Method& method, const Options& options) {
  FlowState state;
  for (const il::RequiredLock& required : method.required) state.locks.assume({required.lock, required.mode});
  // Section 7.2: nobody else knows an object that is being made, or unmade.
  if (method.has_this && (method.constructor || method.destructor) && options.domain == Domain::Ownership)
    state.ownership.set(il::Path(il::formal(0, "this")), owned());
  return state;
}

// By block: its number in an order in which blocks come after those that lead to them, but for the edges back to the heads of loops.
static std::vector<unsigned> flow_order(const il::Method& method) {
  std::vector<unsigned> number(method.blocks.size(), 0);
  std::vector<bool> seen(method.blocks.size(), false);
  unsigned left = static_cast<unsigned>(method.blocks.size());
  struct Visit {
    unsigned block, next;
  };
  std::vector<Visit> path = {{0, 0}};
  seen[0] = true;
  while (!path.empty()) {
    Visit& top = path.back();
    const auto& successors = method.blocks[top.block].successors;
    if (top.next == successors.size()) {
      number[top.block] = --left;
      path.pop_back();
      continue;
    }
    const unsigned next = successors[top.next++];
    if (seen[next]) continue;
    seen[next] = true;
    path.push_back({next, 0});
  }
  return number;
}

std::vector<std::optional<FlowState>> flow(const il::Method& method, const Options& options,
                                           const Rules& rules, const FindSummary& find) {
  std::vector<std::optional<FlowState>> states(method.blocks.size());
  if (states.empty()) return states;
  states[0] = entry_state(method, options);
  const std::vector<unsigned> order = flow_order(method);
  std::set<std::pair<unsigned, unsigned>> work = {{order[0], 0}}; // by order, each block once
  while (!work.empty()) {
    const unsigned block = work.begin()->second;
    work.erase(work.begin());
    FlowState state = *states[block];
    bool ended = false;
    for (const il::Statement& statement : method.blocks[block].statements) {
      step(state, resolved(statement, state.aliases), rules, find);
      ended |= must_end_here(statement, find);
    }
    if (ended) continue;
    for (unsigned next : method.blocks[block].successors) {
      FlowState merged = states[next] ? joined(*states[next], state, rules) : state;
      if (states[next] == merged) continue;
      states[next] = std::move(merged);
      work.insert({order[next], next});
    }
  }
  return states;
}

} // namespace footrace::scan::domain
