#include "scan/domain/crowds.h"

#include <map>

namespace footrace::scan::domain {

namespace {

bool waits_for_threads(const il::Statement& statement, const Summaries& summaries) {
  const auto* call = std::get_if<il::Call>(&statement.what);
  if (!call) return false;
  if (call->kind != il::CallKind::Plain) return call->kind == il::CallKind::Join;
  auto callee = summaries.find(call->callee);
  return callee != summaries.end() && callee->second.joins;
}

} // namespace

bool may_come_again(const il::Method& method, unsigned block, std::size_t statement,
                    const Summaries& summaries) {
  auto waits_in = [&](unsigned at, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      if (waits_for_threads(method.blocks[at].statements[i], summaries)) return true;
    return false;
  };
  std::vector<bool> seen(method.blocks.size(), false);
  if (waits_in(block, statement + 1, method.blocks[block].statements.size())) return false;
  std::vector<unsigned> work(method.blocks[block].successors);
  while (!work.empty()) {
    unsigned at = work.back();
    work.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    if (at == block && !waits_in(at, 0, statement)) return true;
    if (at == block || waits_in(at, 0, method.blocks[at].statements.size())) continue;
    work.insert(work.end(), method.blocks[at].successors.begin(), method.blocks[at].successors.end());
  }
  return false;
}

std::unordered_set<il::Name> called_again(const il::Program& program, const Summaries& summaries) {
  std::map<il::Name, std::vector<il::Name>> callees; // of methods that lead to threads
  std::unordered_set<il::Name> again;
  std::vector<il::Name> work;
  auto leads_to_threads = [&](il::Name name) {
    auto summary = summaries.find(name);
    return summary != summaries.end() && summary->second.spawns;
  };
  for (const il::Method& method : program.methods)
    for (unsigned b = 0; b < method.blocks.size(); ++b)
      for (std::size_t i = 0; i < method.blocks[b].statements.size(); ++i) {
        const auto* call = std::get_if<il::Call>(&method.blocks[b].statements[i].what);
        if (!call || call->kind != il::CallKind::Plain || !leads_to_threads(call->callee)) continue;
        callees[method.name].push_back(call->callee);
        if (!again.contains(call->callee) && may_come_again(method, b, i, summaries)) {
          again.insert(call->callee);
          work.push_back(call->callee);
        }
      }
  while (!work.empty()) {
    il::Name caller = work.back();
    work.pop_back();
    for (il::Name callee : callees[caller])
      if (again.insert(callee).second) work.push_back(callee);
  }
  return again;
}

} // namespace footrace::scan::domain
