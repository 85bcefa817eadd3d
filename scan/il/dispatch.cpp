#include "scan/il/dispatch.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace footrace::scan::il {

namespace {

using Targets = std::unordered_map<Name, std::set<Name>>;

// Functions that the program has; a virtual method that is not pure is a target itself.
Targets targets_of(const Program& program) {
  std::unordered_set<Name> methods;
  for (const Method& method : program.methods) methods.insert(method.name);
  Targets targets;
  for (const Slot& slot : program.slots) {
    if (slot.formal) continue;
    if (methods.contains(slot.target)) targets[slot.name].insert(slot.target);
    if (methods.contains(slot.name)) targets[slot.name].insert(slot.name);
  }
  return targets;
}

// One target: that call. Several: a block for each, and one for what follows. False: unknown code.
bool resolve(Method& method, unsigned block, std::size_t at, const Targets& targets) {
  Statement made = method.blocks[block].statements[at];
  auto& call = std::get<Call>(made.what);
  call.kind = CallKind::Plain;
  auto known = targets.find(call.callee);
  std::size_t count = known == targets.end() ? 0 : known->second.size();
  if (count == 1) call.callee = *known->second.begin();
  if (count < 2 || count > max_targets) {
    method.blocks[block].statements[at] = std::move(made);
    return count == 1;
  }
  Block rest;
  auto& statements = method.blocks[block].statements;
  rest.statements.assign(statements.begin() + std::ptrdiff_t(at) + 1, statements.end());
  rest.successors = std::move(method.blocks[block].successors);
  statements.resize(at);
  auto after = unsigned(method.blocks.size());
  method.blocks.push_back(std::move(rest));
  std::vector<unsigned> ways;
  for (Name target : known->second) {
    call.callee = target;
    ways.push_back(unsigned(method.blocks.size()));
    method.blocks.push_back({{made}, {after}});
  }
  method.blocks[block].successors = std::move(ways);
  return true;
}

// The slot; empty: another statement.
Name dispatched(const Statement& statement) {
  const auto* call = std::get_if<Call>(&statement.what);
  return call && call->kind == CallKind::Dispatch ? call->callee : Name();
}

} // namespace

void resolve_dispatch(Program& program) {
  const Targets targets = targets_of(program);
  std::unordered_set<Name> called;
  for (Method& method : program.methods)
    // What follows a branch is a block of its own, further on.
    for (unsigned block = 0; block < method.blocks.size(); ++block)
      for (std::size_t at = 0; at < method.blocks[block].statements.size(); ++at)
        if (Name slot = dispatched(method.blocks[block].statements[at]);
            !slot.empty() && resolve(method, block, at, targets))
          called.insert(slot);
  std::erase_if(program.slots, [&](const Slot& slot) { return !slot.formal && !called.contains(slot.name); });
}

} // namespace footrace::scan::il
