#include "scan/il/passed_functions.h"

#include <algorithm>
#include <map>
#include <optional>

namespace footrace::scan::il {

namespace {

const Call* call_in(const Statement& statement) { return std::get_if<Call>(&statement.what); }

bool waits(const Block& block) {
  return std::ranges::any_of(block.statements, [](const Statement& statement) {
    const Call* call = call_in(statement);
    return call && call->kind == CallKind::Join;
  });
}

// The block comes again, and nothing is waited for on the way.
bool comes_again(const Method& method, unsigned block) {
  std::vector<bool> seen(method.blocks.size(), false);
  std::vector<unsigned> work = {block};
  while (!work.empty()) {
    const Block& at = method.blocks[work.back()];
    work.pop_back();
    if (waits(at)) continue;
    for (unsigned next : at.successors) {
      if (next == block) return true;
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
    for (const Method& method : program_.methods)
      for (unsigned b = 0; b < method.blocks.size(); ++b)
        for (const Statement& statement : method.blocks[b].statements)
          if (const Call* call = call_in(statement);
              call && call->kind == CallKind::Spawn && !call->closures.empty())
            starts_.emplace(method.name,
                            Start{*call, comes_again(method, b), std::ranges::any_of(method.blocks, waits)});
    if (starts_.empty()) return;
    for (Method& method : program_.methods)
      for (unsigned b = 0; b < method.blocks.size(); ++b) expand(method, b); // it may grow
  }

private:
  struct Start {
    Call call;
    bool several = false, awaited = false;
  };

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
  std::map<Name, Start> starts_; // by method: how it starts what it is passed
};

} // namespace

void expose_passed_functions(Program& program, const std::unordered_map<Name, Method>& bodies) {
  PassedFunctions(program, bodies).run();
}

} // namespace footrace::scan::il
