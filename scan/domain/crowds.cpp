#include "scan/domain/crowds.h"

#include <algorithm>
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

struct Place {
  unsigned block;
  std::size_t statement;
};

template <class Visit> void each_statement(const il::Method& method, Visit visit) {
  for (unsigned b = 0; b < method.blocks.size(); ++b)
    for (std::size_t i = 0; i < method.blocks[b].statements.size(); ++i)
      visit(Place{b, i}, method.blocks[b].statements[i]);
}

// All that may be run from these places on; not beyond a statement of which `visit` says so.
template <class Visit> void each_after(const il::Method& method, std::vector<Place> work, Visit visit) {
  std::vector<bool> seen(method.blocks.size(), false); // from its start
  while (!work.empty()) {
    Place from = work.back();
    work.pop_back();
    const il::Block& block = method.blocks[from.block];
    bool goes_on = true;
    for (std::size_t i = from.statement; i < block.statements.size() && goes_on; ++i)
      goes_on = visit(Place{from.block, i}, block.statements[i]);
    if (!goes_on) continue;
    for (unsigned next : block.successors)
      if (!seen[next]) {
        seen[next] = true;
        work.push_back({next, 0});
      }
  }
}

bool waits_for_anything(const il::Statement& statement, const Summaries& summaries) {
  const auto* call = std::get_if<il::Call>(&statement.what);
  if (!call) return false;
  if (call->kind != il::CallKind::Plain)
    return call->kind == il::CallKind::Join || call->kind == il::CallKind::Wait ||
           call->kind == il::CallKind::Receive;
  auto callee = summaries.find(call->callee);
  return callee != summaries.end() &&
         (callee->second.joins || callee->second.waits || !callee->second.received.empty());
}

} // namespace

bool may_follow(const il::Method& method, const il::Location& first, const il::Location& then,
                const Summaries& summaries) {
  std::vector<Place> starts, waits;
  each_statement(method, [&](Place place, const il::Statement& statement) {
    if (statement.at == first) starts.push_back({place.block, place.statement + 1});
  });
  bool follows = false;
  each_after(method, starts, [&](Place place, const il::Statement& statement) {
    follows |= statement.at == then;
    if (waits_for_anything(statement, summaries)) waits.push_back({place.block, place.statement + 1});
    return true;
  });
  // A loop that waits for all of them may as well run zero times: one way through it is enough.
  each_after(method, waits, [&](Place, const il::Statement& statement) {
    follows &= statement.at != then;
    return statement.at != first;
  });
  return follows;
}

// The blocks that are left when control has gone from the entry to everything that it can reach without `without`.
static std::vector<bool> reached_without(const il::Method& method, unsigned without) {
  std::vector<bool> reached(method.blocks.size(), false);
  std::vector<unsigned> work;
  if (without != 0) work.push_back(0);
  while (!work.empty()) {
    unsigned at = work.back();
    work.pop_back();
    if (at == without || reached[at]) continue;
    reached[at] = true;
    work.insert(work.end(), method.blocks[at].successors.begin(), method.blocks[at].successors.end());
  }
  return reached;
}

// The heads of loops that wait for threads: for (std::thread& thread : threads) thread.join(). Such a loop is not run zero
// times if there are threads. Not the loops that start them.
static std::vector<bool> heads_of_waiting_loops(const il::Method& method, unsigned start,
                                                const std::vector<bool>& waits) {
  std::vector<std::vector<unsigned>> before(method.blocks.size());
  for (unsigned b = 0; b < method.blocks.size(); ++b)
    for (unsigned next : method.blocks[b].successors) before[next].push_back(b);
  std::vector<bool> heads(method.blocks.size(), false);
  for (unsigned head = 0; head < method.blocks.size(); ++head) {
    if (before[head].size() < 2) continue; // a loop is entered, and repeated
    const std::vector<bool> elsewhere = reached_without(method, head);
    std::vector<bool> body(method.blocks.size(), false);
    body[head] = true;
    std::vector<unsigned> work;
    for (unsigned last : before[head])
      if (!elsewhere[last]) work.push_back(last); // the head comes before it on every way
    while (!work.empty()) {
      unsigned at = work.back();
      work.pop_back();
      if (body[at]) continue;
      body[at] = true;
      work.insert(work.end(), before[at].begin(), before[at].end());
    }
    for (unsigned b = 0; b < body.size(); ++b) heads[head] = heads[head] || (body[b] && waits[b]);
    if (body[start]) heads[head] = false;
  }
  return heads;
}

bool may_come_again(const il::Method& method, unsigned block, std::size_t statement,
                    const Summaries& summaries) {
  auto waits_in = [&](unsigned at, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      if (waits_for_threads(method.blocks[at].statements[i], summaries)) return true;
    return false;
  };
  std::vector<bool> seen(method.blocks.size(), false), waits(method.blocks.size(), false);
  for (unsigned b = 0; b < method.blocks.size(); ++b)
    waits[b] = waits_in(b, 0, method.blocks[b].statements.size());
  if (std::ranges::find(waits, true) != waits.end()) {
    const std::vector<bool> heads = heads_of_waiting_loops(method, block, waits);
    for (unsigned b = 0; b < method.blocks.size(); ++b) waits[b] = waits[b] || heads[b];
  }
  if (waits_in(block, statement + 1, method.blocks[block].statements.size())) return false;
  std::vector<unsigned> work(method.blocks[block].successors);
  while (!work.empty()) {
    unsigned at = work.back();
    work.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    if (at == block && !waits_in(at, 0, statement)) return true;
    if (at == block || waits[at]) continue;
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
