#include "scan/domain/lock_history.h"

#include <algorithm>

namespace footrace::scan::domain {

namespace {

bool holds(const LockState& locks, const il::Path& lock) {
  return std::ranges::any_of(locks.held, [&](const auto& held) { return held.first.lock == lock; });
}

unsigned count_of(const LockState& locks, const il::Path& lock) {
  unsigned count = 0;
  for (const auto& [key, times] : locks.held)
    if (key.lock == lock) count += times;
  return count;
}

bool gives_back(const LockState& locks, const il::Path& lock) {
  return std::ranges::any_of(locks.released, [&](const auto& given) { return given.first.lock == lock; });
}

void add_maybe(LockHistory& joined, const LockState& locks, const LockState& others,
               const LockHistory& of_others) {
  for (const auto& [key, count] : locks.held)
    if (!holds(others, key.lock) && !of_others.let_go.contains(key.lock)) joined.maybe.insert(key.lock);
  for (const auto& [key, count] : locks.released)
    if (!gives_back(others, key.lock)) joined.maybe_released.insert(key.lock);
}

} // namespace

void remember(LockHistory& history, const LockState& before, const LockState& after) {
  for (const auto& [key, count] : before.held)
    if (!holds(after, key.lock)) {
      history.maybe.erase(key.lock);
      history.let_go.insert(key.lock);
    }
  for (const auto& [key, count] : after.held)
    if (count_of(after, key.lock) > count_of(before, key.lock)) history.maybe.erase(key.lock);
}

void remember_call(LockHistory& history, const LockState& before, LockState& locks,
                   const LockHistory& callee) {
  const std::set<il::Path> maybe_before = history.maybe;
  remember(history, before, locks);
  for (const il::Path& lock : callee.maybe)
    if (holds(locks, lock) && (!holds(before, lock) || maybe_before.contains(lock)))
      history.maybe.insert(lock);
  for (const il::Path& lock : callee.maybe_released)
    if (!holds(before, lock)) {
      history.maybe_released.insert(lock);
    } else if (maybe_before.contains(lock)) {
      std::erase_if(locks.held, [&](const auto& held) { return held.first.lock == lock; });
      if (!locks.has_locks()) locks.nested.clear();
      history.maybe.erase(lock);
      history.let_go.insert(lock);
    }
}

LockHistory join(const LockHistory& a, const LockState& a_locks, const LockHistory& b,
                 const LockState& b_locks) {
  LockHistory joined = a;
  joined.maybe.insert(b.maybe.begin(), b.maybe.end());
  joined.let_go.insert(b.let_go.begin(), b.let_go.end());
  joined.maybe_released.insert(b.maybe_released.begin(), b.maybe_released.end());
  add_maybe(joined, a_locks, b_locks, b);
  add_maybe(joined, b_locks, a_locks, a);
  return joined;
}

LockHistory map_locks(const LockHistory& history, const std::function<il::Path(const il::Path&)>& name) {
  LockHistory result;
  for (const il::Path& lock : history.maybe) result.maybe.insert(name(lock));
  for (const il::Path& lock : history.let_go) result.let_go.insert(name(lock));
  for (const il::Path& lock : history.maybe_released) result.maybe_released.insert(name(lock));
  return result;
}

std::set<il::Path> certain(const LockState& locks, const LockHistory& history) {
  std::set<il::Path> result;
  for (const auto& [key, count] : locks.held)
    if (!history.maybe.contains(key.lock)) result.insert(key.lock);
  return result;
}

void leave(LockState& locks, LockHistory& history, const std::set<il::Path>& kept) {
  auto is_gone = [&](const il::Path& lock) {
    return history.maybe.contains(lock) && history.let_go.contains(lock) && !kept.contains(lock);
  };
  std::erase_if(locks.held, [&](const auto& held) { return is_gone(held.first.lock); });
  if (!locks.has_locks()) locks.nested.clear();
  std::erase_if(history.maybe, [&](const il::Path& lock) { return !holds(locks, lock); });
  history.let_go.clear(); // the method's own matter
}

} // namespace footrace::scan::domain
