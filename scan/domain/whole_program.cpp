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

// start_async(&task), finish_async(&task): who starts a thread and does not wait leaves that to its callers, and these to theirs.
void Concurrency::find_lifetimes(const il::Program& program) {
  using Place = std::pair<il::Name, il::Location>;
  std::unordered_map<il::Name, std::set<Place>> callers; // of methods that start threads
  for (const il::Method& method : program.methods)
    for (const il::Block& block : method.blocks)
      for (const il::Statement& statement : block.statements)
        if (const auto* call = std::get_if<il::Call>(&statement.what);
            call && call->kind == il::CallKind::Plain && starts_threads_.contains(call->callee))
          callers[call->callee].emplace(method.name, statement.at);
  bool left_to_main = false;
  for (auto& [name, entry] : entries_) {
    if (!entry.through.empty()) continue;
    std::vector<Place> work(entry.starters.begin(), entry.starters.end());
    std::set<Place> seen;
    bool all_wait = true;
    while (!work.empty()) {
      Place place = work.back();
      work.pop_back();
      if (!seen.insert(place).second) continue;
      const il::Method& method = *methods_.at(place.first);
      left_to_main |= is_main(method);
      if (summaries_.at(place.first).joins) {
        entry.lifetimes.insert(place);
        continue;
      }
      all_wait &= !may_begin_calls(method);
      const std::set<Place>& above = callers[place.first];
      work.insert(work.end(), above.begin(), above.end());
    }
    if (!all_wait) entry.lifetimes.clear();
  }
  // A thread that is waited for in something that main calls does not run beside what is called later.
  main_starts_threads_ &= left_to_main;
}

void Concurrency::find_stores(const il::Program& program) {
  for (const il::Slot& slot : program.slots)
    if (!slot.formal) slots_of_[slot.target].insert(slot.name);
  for (const il::Method& method : program.methods)
    for (const il::Block& block : method.blocks)
      for (const il::Statement& statement : block.statements)
        if (const auto* call = std::get_if<il::Call>(&statement.what);
            call && call->kind == il::CallKind::Hand && slots_of_.contains(call->callee))
          stores_[method.name].insert(call->callee);
}

// if (!made) make(): what main makes so, before it starts threads, is there when they run.
void Concurrency::find_first_uses(const il::Program& program) {
  for (const il::Method& method : program.methods) {
    if (!is_main(method)) continue;
    for (const auto& [access, place] : summaries_.at(method.name).accesses.all())
      if (access.kind == AccessKind::Write && access.order != Order::Unknown)
        for (const auto& [key, count] : access.locks->held)
          if (il::is_first_use_of(key.lock, access.path)) used_first_.insert(key.lock);
  }
}

// What the thread is seen to do, it does in a function that was stored for it; `starter` stores another in the same place.
bool Concurrency::must_run_another(il::Name starter, const CallChain& thread_calls) const {
  auto stored = stores_.find(starter);
  if (stored == stores_.end()) return false;
  return std::ranges::any_of(thread_calls, [&](const CallSite& call) {
    auto slots = slots_of_.find(call.callee);
    if (slots == slots_of_.end() || stored->second.contains(call.callee)) return false;
    return std::ranges::any_of(stored->second, [&](il::Name other) {
      const std::set<il::Name>& places = slots_of_.at(other);
      return std::ranges::any_of(places, [&](il::Name slot) { return slots->second.contains(slot); });
    });
  });
}

bool Concurrency::must_have_ended(const il::Method& thread, const CallChain& thread_calls,
                                  const il::Method& other, const CallChain& calls) const {
  auto known = entries_.find(thread.name);
  if (known == entries_.end() || known->second.lifetimes.empty()) return false;
  return std::ranges::none_of(known->second.lifetimes, [&](const auto& life) {
    auto starter = methods_.find(life.first);
    const bool main_itself = starter != methods_.end() && is_main(*starter->second); // it runs all the time
    const bool meets =
        main_itself || life.first == other.name ||
        std::ranges::any_of(calls, [&](const CallSite& call) { return call.callee == life.first; });
    return meets && !must_run_another(life.first, thread_calls);
  });
}

} // namespace footrace::scan::domain
