// What is known of a program that has its main function and names the entry of every thread: what of it is used, and which threads
// live only while one function runs.
#include "scan/domain/concurrency.h"

#include <algorithm>

namespace footrace::scan::domain {

// From main and static initialisers, from threads, and from what somebody may call who is not seen.
void Concurrency::find_used(const il::Program& program) {
  std::vector<il::Name> work(given_away_.begin(), given_away_.end());
  for (const auto& [name, entry] : entries_) work.push_back(name);
  for (const il::Slot& slot : program.slots) work.push_back(slot.target);
  for (const il::Method& method : program.methods)
    if (method.startup || method.thread_entry || is_main(method)) work.push_back(method.name);
  while (!work.empty()) {
    auto method = methods_.find(work.back());
    work.pop_back();
    if (method == methods_.end() || !used_.insert(method->first).second) continue;
    for (const il::Block& block : method->second->blocks)
      for (const il::Statement& statement : block.statements)
        if (const auto* call = std::get_if<il::Call>(&statement.what)) {
          work.push_back(call->callee);
          for (const il::Closure& closure : call->closures) work.push_back(closure.function);
        }
  }
}

bool Concurrency::must_be_seen_elsewhere(const il::Method& method, const CallChain& calls) const {
  if (!has_all_threads() || !is_for_others(method)) return false;
  return std::ranges::any_of(calls, [&](const CallSite& call) { return used_.contains(call.callee); });
}

bool Concurrency::must_have_ended(const il::Method& thread, const il::Method& other,
                                  const CallChain& calls) const {
  auto known = entries_.find(thread.name);
  if (!has_all_threads() || known == entries_.end() || !known->second.awaited ||
      !known->second.through.empty())
    return false;
  return std::ranges::none_of(known->second.starters, [&](const auto& start) {
    auto starter = methods_.find(start.first);
    const bool main_itself = starter != methods_.end() && is_main(*starter->second); // it runs all the time
    return main_itself || start.first == other.name ||
           std::ranges::any_of(calls, [&](const CallSite& call) { return call.callee == start.first; });
  });
}

} // namespace footrace::scan::domain
