// Taking and dropping a lock as threads mostly do it, without a call: it was taken in this place before, and is dropped last in, first out.
#pragma once

#include "runtime/thread.h"

namespace footrace {

FR_INLINE void locks_have_changed(Thread* t) {
  const Context& c = t->context;
  const LockSetId set = c.held_count ? c.held[c.held_count - 1].set : 0;
  t->log.locks = set || !c.held_count ? set : kUnknownLocks;
  log_begins_era(*t);
}

FR_INLINE void push_held(Thread* t, const LockSetMemo& memo, LockSetId set) {
  Context& c = t->context;
  c.held[c.held_count++] = {memo.address, memo.taken, memo.mode(), u8(&memo - c.lock_set_memo), 1, set};
  locks_have_changed(t);
}

// False: nothing was done.
FR_INLINE bool lock_taken_at_once(Thread* t, uptr address, LockMode mode, uptr pc) {
  Context& c = t->context;
  const LockSetMemo& memo = lock_set_memo(c, address, pc);
  const Frame* caller = known_caller(c);
  if (!caller || memo.address != address || memo.pc != pc || memo.caller != caller->node ||
      memo.mode() != mode || c.held_count == c.held_capacity || find_held(c, address))
    return false;
  const LockSetId parent = c.held_count ? c.held[c.held_count - 1].set : 0;
  const bool is_known = memo.parent == parent && (parent || !c.held_count);
  push_held(t, memo, is_known ? memo.set : 0);
  return true;
}
FR_INLINE bool lock_dropped_at_once(Thread* t, uptr address) {
  Context& c = t->context;
  if (!c.held_count || c.held[c.held_count - 1].address != address || c.held[c.held_count - 1].depth != 1)
    return false;
  --c.held_count;
  locks_have_changed(t);
  return true;
}

} // namespace footrace
