// What the maximum of the join (locks.h) forgets: which locks are held on some ways only, and which were given back. Code that locks
// under a condition gives back under the same one, often in another function: if (threaded) lock(), and later if (threaded)
// unlock(). By the maximum alone such a lock would be held ever after, and hide what follows.
// Meaning: `maybe` is a part of what is held. A lock that is only maybe held is given back by whoever maybe gives it back, and is
// not held after a method that gives it back on some way and certainly keeps it on none. Under A6 there is a run without the lock in
// both cases, so a report stays true.
#pragma once

#include "scan/domain/locks.h"

namespace footrace::scan::domain {

struct LockHistory {
  std::set<il::Path> maybe;          // held, but there is a way on which it was not taken
  std::set<il::Path> let_go;         // taken by the method and given back, on some way
  std::set<il::Path> maybe_released; // the caller's, given back on some ways only
  bool operator==(const LockHistory&) const = default;

  bool empty() const { return maybe.empty() && let_go.empty() && maybe_released.empty(); }
};

// After a statement that is no call: `before` became `after`.
void remember(LockHistory& history, const LockState& before, const LockState& after);
// After a call: `locks` has what the callee took and gave back for certain; what it maybe gave back is taken from it here.
void remember_call(LockHistory& history, const LockState& before, LockState& locks,
                   const LockHistory& callee);
LockHistory join(const LockHistory& a, const LockState& a_locks, const LockHistory& b,
                 const LockState& b_locks);
LockHistory map_locks(const LockHistory& history, const std::function<il::Path(const il::Path&)>& name);
// What is held, and not just maybe.
std::set<il::Path> certain(const LockState& locks, const LockHistory& history);
// At the end of a method, `kept` being what one of its exits certainly holds.
void leave(LockState& locks, LockHistory& history, const std::set<il::Path>& kept);

} // namespace footrace::scan::domain
