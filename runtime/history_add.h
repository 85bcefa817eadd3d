// Notes an access in the thread's history, in line: this is on every slow path.
#pragma once

#include "runtime/thread.h"

namespace footrace {

FR_COLD bool history_turn(Context& c); // the ring is used up, or there is none yet; false without memory

// The innermost frame mostly has its node, and the innermost lock its set.
FR_INLINE ContextId quick_context(Thread* t) {
  const Context& c = t->context;
  if (c.top == c.base) return 0;
  ContextId node = c.top[-1].node;
  return FR_LIKELY(node) ? node : current_context(t);
}
FR_INLINE LockSetId quick_lock_set(Thread* t) {
  const Context& c = t->context;
  if (!c.held_count) return 0;
  LockSetId set = c.held[c.held_count - 1].set;
  return FR_LIKELY(set) ? set : current_lock_set(t);
}

// Loops walk through memory: the access goes on where the last one of its site ended, or is inside it. One store then notes it.
FR_INLINE bool history_extend(HistoryEntry& e, uptr address, u64 size) {
  u64 offset = address - e.address;
  if (offset > e.size) return false;
  if (offset + size > e.size) __atomic_store_n(&e.size, offset + size, __ATOMIC_RELEASE);
  return true;
}

// True if it took a new entry, which history_undo may take back.
FR_INLINE bool history_add(Thread* t, uptr address, u64 size, SiteId site) {
  Context& c = t->context;
  ContextId context = quick_context(t);
  LockSetId locks = quick_lock_set(t);
  u64& last = c.last_of_site[site % Context::kSites];
  if (last < c.ring_next && c.ring_next - last <= c.ring_size) {
    HistoryEntry& e = c.ring[last & (c.ring_size - 1)];
    if (e.site == site && e.clock == t->C.own && e.context == context && e.locks == locks &&
        history_extend(e, address, size))
      return false;
  }
  if (FR_UNLIKELY(!(c.ring_next & (c.ring_size - 1))) && !history_turn(c)) return false;
  last = c.ring_next;
  HistoryEntry& e = c.ring[c.ring_next & (c.ring_size - 1)];
  // x86 keeps the order of stores; the fences keep the compiler's.
  __atomic_store_n(&e.stamp, 0, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  e.address = address;
  e.size = size;
  e.clock = t->C.own;
  e.site = site;
  e.context = context;
  e.locks = locks;
  c.ring_stamp += c.ring_stamp == ~0u ? 2 : 1; // never 0
  __atomic_store_n(&e.stamp, c.ring_stamp, __ATOMIC_RELEASE);
  __atomic_store_n(&c.ring_next, c.ring_next + 1, __ATOMIC_RELEASE);
  return true;
}

} // namespace footrace
