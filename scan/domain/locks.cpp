#include "scan/domain/locks.h"

#include "scan/domain/digest.h"

#include <algorithm>
#include <utility>

namespace footrace::scan::domain {

namespace {

void raise(std::map<LockKey, unsigned>& counts, const LockKey& key, unsigned by) {
  unsigned& count = counts[key];
  count = std::min(count + by, LockState::max_count);
}

// Fields of one object only: no pointer, no element, so the path is always the same memory.
bool has_fields_only(const il::Path& path, std::size_t from) {
  return std::all_of(path.steps.begin() + std::ptrdiff_t(from), path.steps.end(),
                     [](const il::Step& step) { return step.kind == il::StepKind::Field; });
}

bool must_lie_in_root(const il::Path& path, const il::Root& root) {
  return path.root == root && path.steps.size() > 1 && path.steps[0].kind == il::StepKind::Deref &&
         has_fields_only(path, 1);
}

// The same lock of two objects: this->mutex, and that of the object which was handed in and which the other one knows.
bool must_be_of_another(const il::Path& lock, const il::Root& root, const il::Path& other,
                        const il::Root& other_root) {
  return lock.root.kind == il::RootKind::Formal && root.kind == il::RootKind::Formal && lock.root != root &&
         must_lie_in_root(lock, lock.root) && must_lie_in_root(other, other_root) &&
         lock.steps == other.steps;
}

bool must_be_a_variable(const il::Path& path) {
  return path.root.kind == il::RootKind::Global && path.is_variable();
}

// One of an array or a container, or what cannot be named at all.
bool has_no_name(const il::Path& lock) {
  return !il::is_role_lock(lock) && !il::is_ticket_lock(lock) && (is_unknown(lock) || il::has_element(lock));
}

bool may_need(const std::set<il::Path>& nested, const LockState& other, bool swapped,
              const SharedRoots& roots) {
  for (const il::Path& lock : nested)
    for (const auto& [key, count] : other.held)
      if (!(swapped ? must_differ(key.lock, lock, roots) : must_differ(lock, key.lock, roots))) return true;
  return false;
}

} // namespace

il::Path unknown_lock() { return il::Path(il::local("")); }

il::Path unnamed(const il::Path& lock) {
  return il::is_ticket_lock(lock) ? il::ticket_lock(unknown_lock()) : unknown_lock();
}

bool is_unknown(const il::Path& lock) { return lock.root.kind == il::RootKind::Local; }

void LockState::limit() {
  for (std::set<il::Path>* locks : {&acquired, &nested})
    if (locks->size() > max_named) *locks = {unknown_lock()};
}

// A role is held like a lock, but nobody waits for it.
bool LockState::has_locks() const {
  return std::ranges::any_of(held, [](const auto& h) { return !il::is_role_lock(h.first.lock); });
}

unsigned LockState::depth() const {
  unsigned sum = 0;
  for (const auto& [key, count] : held)
    if (!il::is_role_lock(key.lock)) sum += count;
  return std::min(sum, max_count);
}

void LockState::acquire(const LockKey& key) {
  if (il::is_role_lock(key.lock)) return raise(held, key, 1);
  if (has_locks()) nested.insert(key.lock);
  acquired.insert(key.lock);
  limit();
  raise(held, key, 1);
}

void LockState::release(const LockKey& key, bool if_held) {
  auto entry = held.find(key);
  // The mode of an unlock is often not written: pthread_rwlock_unlock.
  if (entry == held.end())
    entry = std::find_if(held.begin(), held.end(), [&](const auto& h) { return h.first.lock == key.lock; });
  // What a pointer led to that only this method knows: one of several that have no names of their own.
  if (entry == held.end() && is_unknown(key.lock) && !if_held)
    entry = std::find_if(held.begin(), held.end(), [](const auto& h) { return has_no_name(h.first.lock); });
  if (entry == held.end()) {
    if (!if_held) raise(released, key, 1);
    return;
  }
  if (--entry->second == 0) held.erase(entry);
  if (!has_locks()) nested.clear();
}

void LockState::assume(const LockKey& key) {
  if (held.try_emplace(key, 1).second) assumed.insert(key);
}

void LockState::return_assumed() {
  for (const LockKey& key : std::exchange(assumed, {})) release(key, is_unknown(key.lock));
}

std::size_t digest_of(const LockKey& key) { return mixed(digest_of(key.lock), std::size_t(key.mode)); }

std::size_t digest_of(const LockState& locks) {
  std::size_t digest = mixed(digest_of(locks.held), digest_of(locks.released));
  digest = mixed(digest, digest_of(locks.acquired));
  return mixed(mixed(digest, digest_of(locks.nested)), digest_of(locks.assumed));
}

void locking(LockState& locks, const il::Statement& statement) {
  const auto* op = std::get_if<il::LockOp>(&statement.what);
  if (!op) return;
  LockKey key{op->lock, op->mode};
  switch (op->action) {
  case il::LockAction::Acquire:
    return locks.acquire(key);
  case il::LockAction::Release:
    return locks.release(key, op->attempt);
  case il::LockAction::Assume:
    return locks.assume(key);
  }
}

LockState add(const LockState& outer, const LockState& inner) {
  LockState sum = outer;
  if (outer.has_locks())
    sum.nested.insert(inner.acquired.begin(), inner.acquired.end());
  else
    sum.nested = inner.nested;
  sum.acquired.insert(inner.acquired.begin(), inner.acquired.end());
  for (const auto& [key, count] : inner.released)
    for (unsigned i = 0; i < count; ++i) sum.release(key);
  for (const auto& [key, count] : inner.held) raise(sum.held, key, count);
  if (!sum.has_locks()) sum.nested.clear();
  sum.limit();
  return sum;
}

LockState map_locks(const LockState& locks, const std::function<il::Path(const il::Path&)>& name) {
  LockState result;
  for (const auto& [key, count] : locks.held) raise(result.held, {name(key.lock), key.mode}, count);
  for (const auto& [key, count] : locks.released) raise(result.released, {name(key.lock), key.mode}, count);
  for (const il::Path& lock : locks.acquired) result.acquired.insert(name(lock));
  for (const il::Path& lock : locks.nested) result.nested.insert(name(lock));
  for (const LockKey& key : locks.assumed) result.assumed.insert({name(key.lock), key.mode});
  return result;
}

LockState join(const LockState& a, const LockState& b) {
  LockState result = a;
  for (const auto& [key, count] : b.held) {
    unsigned& entry = result.held[key];
    entry = std::max(entry, count);
  }
  result.released.clear();
  for (const auto& [key, count] : a.released)
    if (auto other = b.released.find(key); other != b.released.end())
      result.released[key] = std::min(count, other->second);
  result.acquired.insert(b.acquired.begin(), b.acquired.end());
  result.nested.insert(b.nested.begin(), b.nested.end());
  result.limit();
  result.assumed.insert(b.assumed.begin(), b.assumed.end());
  return result;
}

bool must_differ(const il::Path& a, const il::Path& b, const SharedRoots& roots) {
  if (il::is_role_lock(a) || il::is_role_lock(b))
    return true; // they tell threads apart, not critical sections
  if (il::is_ticket_lock(a) != il::is_ticket_lock(b)) return true;
  if (is_unknown(a) || is_unknown(b)) return false;
  if (must_lie_in_root(a, roots.a) && must_lie_in_root(b, roots.b)) {
    il::Path same_root(a.root, b.steps);
    return !is_prefix(a, same_root) && !is_prefix(same_root, a);
  }
  if (must_be_of_another(a, roots.a, b, roots.b) || must_be_of_another(b, roots.b, a, roots.a)) return true;
  bool a_global = a.root.kind == il::RootKind::Global, b_global = b.root.kind == il::RootKind::Global;
  if (a_global && b_global)
    return has_fields_only(a, 0) && has_fields_only(b, 0) && !is_prefix(a, b) && !is_prefix(b, a);
  // A variable that is a lock is not part of an object.
  return (must_be_a_variable(a) && must_lie_in_root(b, roots.b)) ||
         (must_be_a_variable(b) && must_lie_in_root(a, roots.a));
}

bool may_hold_together(const LockState& a, const LockState& b, const SharedRoots& roots) {
  if (!a.has_locks() || !b.has_locks()) return true;
  for (const auto& [ka, ca] : a.held)
    for (const auto& [kb, cb] : b.held) {
      bool both_shared = ka.mode == il::LockMode::Shared && kb.mode == il::LockMode::Shared;
      if (!both_shared && !must_differ(ka.lock, kb.lock, roots)) return false;
    }
  return !may_need(a.nested, b, false, roots) || !may_need(b.nested, a, true, roots);
}

} // namespace footrace::scan::domain
