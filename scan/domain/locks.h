// The lock component L of the domain (RacerDX, POPL'19, Definition 4.2), with the lock's identity and mode.
// The paper counts one reentrant lock; its L is depth(). Identity only ever separates two locks that are certainly
// different objects; a lock that we cannot name (unknown_lock) may be any lock.
// Meaning: what is held on the path with the most locks (join is max, Definition 4.3), so that code which locks in
// one branch only is taken as protected after it: fewer reports, never a wrong one.
#pragma once

#include "scan/il/il.h"

#include <functional>
#include <map>
#include <set>

namespace footrace::scan::domain {

struct LockKey {
  il::Path lock;
  il::LockMode mode = il::LockMode::Exclusive;
  bool operator==(const LockKey&) const = default;
  auto operator<=>(const LockKey&) const = default;
};

// A lock whose path means nothing outside of the method, or is not stable.
il::Path unknown_lock();
bool is_unknown(const il::Path& lock);
// What becomes of a lock that can no longer be named; a ticket stays one.
il::Path unnamed(const il::Path& lock);

struct LockState {
  // The paper's bound on counts, L^.
  static constexpr unsigned max_count = 4;
  // Recursion through different objects names locks without end: of more than this many, any may be meant.
  static constexpr std::size_t max_named = 16;

  std::map<LockKey, unsigned> held;
  std::map<LockKey, unsigned> released; // more often than taken: the caller's
  std::set<il::Path> acquired;          // ever, since the method was entered
  std::set<il::Path> nested;            // since the outermost of `held` was taken
  std::set<LockKey> assumed;            // the caller's by contract: held here, and not ours to hand back

  bool operator==(const LockState&) const = default;
  auto operator<=>(const LockState&) const = default;

  unsigned depth() const;
  bool has_locks() const;
  void assume(const LockKey& key);
  // At the end of a method: what a contract lent is the caller's again.
  void return_assumed();

  void limit();                     // to max_named
  void acquire(const LockKey& key); // incr
  // decr; below zero it is the caller's lock that is released, unless only a held one is meant.
  void release(const LockKey& key, bool if_held = false);
};

std::size_t digest_of(const LockKey& key);
std::size_t digest_of(const LockState& locks);

// Figure 7, `locking`, for every statement but calls.
void locking(LockState& locks, const il::Statement& statement);
// Figure 7, add(L, L'): what is held after a callee that ends (or accesses) with `inner`, called with `outer`.
LockState add(const LockState& outer, const LockState& inner);
// The same locks under other names; names may fall together.
LockState map_locks(const LockState& locks, const std::function<il::Path(const il::Path&)>& name);
// Definition 4.3.
LockState join(const LockState& a, const LockState& b);

// Two paths in two threads whose roots `a_root` and `b_root` denote one object.
struct SharedRoots {
  il::Root a, b;
};
// The two locks are certainly different objects.
bool must_differ(const il::Path& a, const il::Path& b, const SharedRoots& roots);
// Both threads can hold their locks at the same time, and can get there.
// Theorem 6.10 asks for L1 + L2 <= 1; this also admits locks that differ or are both held in shared mode, unless each
// thread needs, after its outermost lock, one that the other may be holding (the order of nested locks).
bool may_hold_together(const LockState& a, const LockState& b, const SharedRoots& roots);

} // namespace footrace::scan::domain
