#include "scan/il/passed_functions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace footrace::scan::il {

namespace {

const Call* call_in(const Statement& statement) { return std::get_if<Call>(&statement.what); }

bool waits(const Block& block) {
  return std::ranges::any_of(block.statements, [](const Statement& statement) {
    const Call* call = call_in(statement);
    return call && call->kind == CallKind::Join;
  });
}

// The block `then` comes after `block`, and nothing is waited for on the way.
bool may_come_after(const Method& method, unsigned block, unsigned then) {
  std::vector<bool> seen(method.blocks.size(), false);
  std::vector<unsigned> work = {block};
  while (!work.empty()) {
    const Block& at = method.blocks[work.back()];
    work.pop_back();
    if (waits(at)) continue;
    for (unsigned next : at.successors) {
      if (next == then) return true;
      if (!seen[next]) work.push_back(next);
      seen[next] = true;
    }
  }
  return false;
}

class PassedFunctions {
public:
  PassedFunctions(Program& program, const std::unordered_map<Name, Method>& bodies)
      : program_(program), bodies_(bodies) {}

  void run() {
    for (const Method& method : program_.methods) find_invocations(method);
    for (const Method& method : program_.methods)
      for (unsigned b = 0; b < method.blocks.size(); ++b)
        for (const Statement& statement : method.blocks[b].statements)
          if (const Call* call = call_in(statement); call && call->kind == CallKind::Spawn)
            if (std::optional<Call> start = start_of(*call)) add(method, b, *start);
    if (starts_.empty()) return;
    for (Method& method : program_.methods)
      for (unsigned b = 0; b < method.blocks.size(); ++b) expand(method, b); // it may grow
  }

private:
  struct Start {
    Call call;
    unsigned block = 0;
    bool several = false, awaited = false;
  };

  void find_invocations(const Method& method) {
    for (const Block& block : method.blocks)
      for (const Statement& statement : block.statements)
        if (const Call* call = call_in(statement);
            call && call->kind == CallKind::Invoke && !call->actuals.empty())
          invoked_[method.name].insert(call->actuals[0].path.root.index);
  }

  // Of what the caller passed: itself, or by a closure that has it and calls it.
  std::optional<Call> start_of(const Call& call) const {
    if (!call.closures.empty()) return call;
    auto invoked = invoked_.find(call.callee);
    if (invoked == invoked_.end()) return std::nullopt;
    for (unsigned i : invoked->second) {
      if (i >= call.actuals.size()) continue;
      const Value& captured = call.actuals[i];
      bool passed = (captured.kind == ValueKind::Path || captured.kind == ValueKind::Address) &&
                    captured.path.root.kind == RootKind::Formal &&
                    (captured.path.is_variable() || captured.path.steps == std::vector{deref()});
      if (passed)
        return Call{std::nullopt, {}, {}, CallKind::Spawn, {}, {{captured.path.root.index, "passed", {}}}};
    }
    return std::nullopt;
  }

  void add(const Method& method, unsigned block, const Call& call) {
    const bool awaited = std::ranges::any_of(method.blocks, waits);
    auto [known, first] =
        starts_.try_emplace(method.name, Start{call, block, may_come_after(method, block, block), awaited});
    if (first || known->second.call.closures[0].formal != call.closures[0].formal) return;
    known->second.several |= block == known->second.block
                                 ? !waits_between(method.blocks[block])
                                 : may_come_after(method, known->second.block, block);
  }

  // Two starts in one block.
  static bool waits_between(const Block& block) {
    auto starts = [](const Statement& s) { return call_in(s) && call_in(s)->kind == CallKind::Spawn; };
    auto first = std::ranges::find_if(block.statements, starts);
    if (first == block.statements.end()) return false;
    auto second = std::find_if(first + 1, block.statements.end(), starts);
    return std::any_of(first, second,
                       [](const Statement& s) { return call_in(s) && call_in(s)->kind == CallKind::Join; });
  }

  // Up to the first such call; the rest becomes a block of its own, which comes later.
  void expand(Method& method, unsigned block) {
    for (std::size_t i = 0; i < method.blocks[block].statements.size(); ++i) {
      Statement& statement = method.blocks[block].statements[i];
      auto* call = std::get_if<Call>(&statement.what);
      auto start = call && call->kind == CallKind::Plain ? starts_.find(call->callee) : starts_.end();
      if (start == starts_.end()) continue;
      if (std::optional<Call> thread = started(*call, start->second.call))
        return insert(method, block, i + 1, {statement.at, std::move(*thread)}, start->second);
    }
  }

  static void insert(Method& method, unsigned block, std::size_t at, Statement thread, const Start& start) {
    Block rest{{}, std::move(method.blocks[block].successors)};
    std::vector<Statement>& before = method.blocks[block].statements;
    if (start.awaited) rest.statements.push_back({thread.at, Call{std::nullopt, "join", {}, CallKind::Join}});
    std::ranges::move(before.begin() + std::ptrdiff_t(at), before.end(), std::back_inserter(rest.statements));
    before.erase(before.begin() + std::ptrdiff_t(at), before.end());
    const unsigned starts = unsigned(method.blocks.size()), after = starts + 1;
    method.blocks[block].successors = {starts};
    method.blocks.push_back({{std::move(thread)}, {after}});
    if (start.several) method.blocks.back().successors.push_back(starts);
    method.blocks.push_back(std::move(rest));
  }

  std::optional<Call> started(Call& call, const Call& start) {
    auto closure = std::ranges::find(call.closures, start.closures[0].formal, &Closure::formal);
    if (closure == call.closures.end() || !bodies_.contains(closure->function)) return std::nullopt;
    Call thread{std::nullopt, closure->function, closure->captured, CallKind::Spawn};
    for (const Value& actual : start.actuals) {
      bool passed = actual.kind == ValueKind::Path && actual.path.is_variable() &&
                    actual.path.root.kind == RootKind::Formal && actual.path.root.index < call.actuals.size();
      thread.actuals.push_back(passed ? call.actuals[actual.path.root.index] : nothing());
    }
    call.closures.erase(closure);
    return thread;
  }

  Program& program_;
  const std::unordered_map<Name, Method>& bodies_;
  std::map<Name, std::set<unsigned>> invoked_; // by method: the formals that it calls
  std::map<Name, Start> starts_;               // by method: how it starts what it is passed
};

} // namespace

void expose_passed_functions(Program& program, const std::unordered_map<Name, Method>& bodies) {
  PassedFunctions(program, bodies).run();
}

} // namespace footrace::scan::il
