#include "scan/theorem/semantics.h"

#include <algorithm>

namespace footrace::scan::theorem {

namespace {

using Log = std::vector<Touch>;

bool has_prefix(const std::vector<il::Step>& path, const std::vector<il::Step>& prefix) {
  return prefix.size() <= path.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

Address variable(const Frame& frame, const il::Root& root) {
  auto entry = frame.variables.find(root);
  return entry == frame.variables.end() ? Address{Heap::elsewhere, {}} : entry->second;
}

// Definition 3.1, for paths that do not start at a local variable's own storage.
// The address of the path; reads of the pointers on the way go to the log.
Address address_of(const il::Path& path, const Frame& frame, const Heap& heap, Log* log) {
  std::size_t i = 0;
  Address at;
  if (path.root.kind == il::RootKind::Global) {
    at = {Heap::globals, {il::field(path.root.name)}};
  } else {
    at = variable(frame, path.root); // the first step is a dereference
    i = 1;
  }
  for (; i < path.steps.size(); ++i) {
    if (path.steps[i].kind != il::StepKind::Deref) {
      at.fields.push_back(path.steps[i]);
      continue;
    }
    if (log) log->push_back({at, false});
    at = heap.read(at);
  }
  return at;
}

bool has_storage(const il::Path& path) {
  return path.root.kind == il::RootKind::Global || !path.is_variable();
}

Address value_of(const il::Path& path, const Frame& frame, const Heap& heap, Log* log) {
  if (!has_storage(path)) return variable(frame, path.root);
  Address at = address_of(path, frame, heap, log);
  if (log) log->push_back({at, false});
  return heap.read(at);
}

Address value_of(const il::Value& value, const Frame& frame, const Heap& heap, Log* log) {
  switch (value.kind) {
  case il::ValueKind::Path:
    return value_of(value.path, frame, heap, log);
  case il::ValueKind::Address:
    return address_of(value.path, frame, heap, log);
  case il::ValueKind::Nothing:
  case il::ValueKind::New:
    break;
  }
  return {Heap::elsewhere, {}};
}

unsigned& count_of(State& state, unsigned thread, const Address& lock, il::LockMode mode) {
  Holder& holder = state.locks[lock][thread];
  return mode == il::LockMode::Shared ? holder.shared : holder.exclusive;
}

void lock_step(State& state, unsigned thread, const il::LockOp& op, const Frame& frame) {
  auto& taken = state.threads[thread].taken;
  if (op.action == il::LockAction::Acquire) {
    taken.emplace_back(address_of(op.lock, frame, state.heap, nullptr), op.mode);
    ++count_of(state, thread, taken.back().first, op.mode);
  } else if (op.action == il::LockAction::Release && !taken.empty()) {
    --count_of(state, thread, taken.back().first, taken.back().second);
    taken.pop_back();
  }
}

bool may_take(const std::array<Holder, 2>& holders, unsigned thread, il::LockMode mode) {
  const Holder& other = holders[1 - thread];
  return other.exclusive == 0 && (mode == il::LockMode::Shared || other.shared == 0);
}

} // namespace

bool must_overlap(const Address& a, const Address& b) {
  return a.object == b.object && (has_prefix(a.fields, b.fields) || has_prefix(b.fields, a.fields));
}

Location Heap::make(Location points_to) {
  default_.push_back(points_to);
  return Location(default_.size() - 1);
}

Address Heap::read(const Address& at) const {
  if (auto exact = written_.find(at); exact != written_.end()) return exact->second;
  // A part of something that was overwritten as a whole.
  for (Address whole = at; !whole.fields.empty(); whole.fields.pop_back())
    if (written_.contains(whole)) return {elsewhere, {}};
  return {default_[at.object], {}};
}

void Heap::write(const Address& at, Address value) {
  std::erase_if(written_, [&](const auto& entry) {
    return entry.first.object == at.object && has_prefix(entry.first.fields, at.fields);
  });
  written_[at] = std::move(value);
}

Semantics::Semantics(const il::Program& program) {
  for (const il::Method& method : program.methods) methods_.emplace(method.name, &method);
}

void Semantics::call(Thread& thread, const il::Method& method, std::vector<Address> actuals,
                     std::optional<il::Root> result) const {
  Frame frame;
  frame.method = &method;
  frame.result = result;
  for (unsigned i = 0; i < method.formals.size(); ++i)
    frame.variables[il::formal(i, method.formals[i].name)] =
        i < actuals.size() ? actuals[i] : Address{Heap::elsewhere, {}};
  thread.stack.push_back(std::move(frame));
}

// In the order in which they were started: the first is the innermost.
void Semantics::run_started(Thread& thread) const {
  std::vector<Started> started = std::move(thread.started);
  thread.started.clear();
  for (auto next = started.rbegin(); next != started.rend(); ++next)
    call(thread, *next->method, std::move(next->actuals), {});
}

const il::Statement* Semantics::next(const Thread& thread) const {
  if (thread.stack.empty()) return nullptr;
  const Frame& frame = thread.stack.back();
  const auto& statements = frame.method->blocks[frame.block].statements;
  return frame.index < statements.size() ? &statements[frame.index] : nullptr;
}

std::vector<Touch> Semantics::touches(const State& state, unsigned thread) const {
  const il::Statement* statement = next(state.threads[thread]);
  Log log;
  if (!statement) return log;
  const Frame& frame = state.threads[thread].stack.back();
  if (const auto* assign = std::get_if<il::Assign>(&statement->what)) {
    value_of(assign->value, frame, state.heap, &log);
    if (has_storage(assign->target))
      log.push_back({address_of(assign->target, frame, state.heap, &log), true});
  } else if (const auto* use = std::get_if<il::Use>(&statement->what)) {
    value_of(use->path, frame, state.heap, &log);
  } else if (const auto* op = std::get_if<il::LockOp>(&statement->what)) {
    address_of(op->lock, frame, state.heap, &log);
  } else if (const auto* call = std::get_if<il::Call>(&statement->what)) {
    for (const il::Value& actual : call->actuals) value_of(actual, frame, state.heap, &log);
  } else if (const auto* leave = std::get_if<il::Return>(&statement->what)) {
    value_of(leave->value, frame, state.heap, &log);
  }
  return log;
}

bool Semantics::may_step(const State& state, unsigned thread) const {
  const il::Statement* statement = next(state.threads[thread]);
  const auto* op = statement ? std::get_if<il::LockOp>(&statement->what) : nullptr;
  if (!op || op->action != il::LockAction::Acquire) return true;
  Address lock = address_of(op->lock, state.threads[thread].stack.back(), state.heap, nullptr);
  auto holders = state.locks.find(lock);
  return holders == state.locks.end() || may_take(holders->second, thread, op->mode);
}

void Semantics::step(State& state, unsigned thread) const {
  const il::Statement* statement = next(state.threads[thread]);
  std::vector<Frame>& stack = state.threads[thread].stack;
  Frame& frame = stack.back();
  ++frame.index;
  if (const auto* assign = std::get_if<il::Assign>(&statement->what)) {
    Address value = assign->value.kind == il::ValueKind::New
                        ? Address{state.heap.make_fresh(), {}}
                        : value_of(assign->value, frame, state.heap, nullptr);
    if (has_storage(assign->target))
      state.heap.write(address_of(assign->target, frame, state.heap, nullptr), std::move(value));
    else
      frame.variables[assign->target.root] = std::move(value);
  } else if (const auto* op = std::get_if<il::LockOp>(&statement->what)) {
    lock_step(state, thread, *op, frame);
  } else if (const auto* called = std::get_if<il::Call>(&statement->what)) {
    if (called->kind == il::CallKind::Join) return run_started(state.threads[thread]);
    auto callee = methods_.find(called->callee);
    bool runs = called->kind == il::CallKind::Plain || called->kind == il::CallKind::Spawn;
    if (callee == methods_.end() || !runs) return;
    std::vector<Address> actuals;
    for (const il::Value& actual : called->actuals)
      actuals.push_back(actual.kind == il::ValueKind::New ? Address{state.heap.make_fresh(), {}}
                                                          : value_of(actual, frame, state.heap, nullptr));
    if (called->kind == il::CallKind::Spawn)
      state.threads[thread].started.push_back({callee->second, std::move(actuals)});
    else
      call(state.threads[thread], *callee->second, std::move(actuals), called->result);
  } else if (const auto* leave = std::get_if<il::Return>(&statement->what)) {
    Address value = value_of(leave->value, frame, state.heap, nullptr);
    if (frame.result && stack.size() > 1) stack[stack.size() - 2].variables[*frame.result] = std::move(value);
  }
}

unsigned Semantics::choices(const Thread& thread) const {
  const Frame& frame = thread.stack.back();
  return unsigned(frame.method->blocks[frame.block].successors.size());
}

void Semantics::choose(Thread& thread, unsigned successor) const {
  Frame& frame = thread.stack.back();
  const auto& successors = frame.method->blocks[frame.block].successors;
  if (successors.empty()) {
    thread.stack.pop_back();
    return;
  }
  frame.block = successors[successor];
  frame.index = 0;
}

} // namespace footrace::scan::theorem
