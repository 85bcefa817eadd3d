#include "detectors/common/lock_sets.h"

#include <algorithm>

namespace footrace::detectors {
namespace {

void insert(std::vector<u64>& sorted, u64 lock) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), lock);
  if (at == sorted.end() || *at != lock) sorted.insert(at, lock);
}
void erase(std::vector<u64>& sorted, u64 lock) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), lock);
  if (at != sorted.end() && *at == lock) sorted.erase(at);
}

} // namespace

LockSet LockSets::number_of(const std::vector<u64>& locks) {
  const auto [found, is_new] = numbers_.try_emplace(locks, LockSet(sets_.size()));
  if (is_new) sets_.push_back(locks);
  return found->second;
}

LockSet LockSets::intersection(LockSet a, LockSet b) {
  if (a == b || a == kNoLocks || b == kNoLocks) return a == b ? a : kNoLocks;
  const auto key = u64(min(a, b)) << 32 | max(a, b);
  if (const auto known = intersections_.find(key); known != intersections_.end()) return known->second;
  std::vector<u64> both;
  std::set_intersection(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(),
                        std::back_inserter(both));
  return intersections_[key] = number_of(both);
}

u64 LockSets::memory() const {
  u64 bytes = intersections_.size() * 32;
  for (const auto& set : sets_) bytes += 2 * (sizeof set + set.capacity() * sizeof(u64));
  return bytes;
}

void HeldLocks::step(const Event& e) {
  if (operands_of(e.kind) != Operands::Lock) return;
  Thread& t = threads_[e.thread];
  switch (e.kind) {
  case EventKind::Acquire:
    insert(t.exclusively, e.target);
    [[fallthrough]];
  case EventKind::AcquireShared:
    insert(t.all, e.target);
    break;
  default:
    erase(t.exclusively, e.target);
    erase(t.all, e.target);
  }
  t.any = sets_.number_of(t.all);
  t.exclusive = sets_.number_of(t.exclusively);
}

} // namespace footrace::detectors
