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
FR_INLINE bool history_extend(Context& c, OpenEntry& open, uptr address, u64 size, const HistoryEntry& like) {
  if (FR_LIKELY(address - open.begin > open.size)) return false;
  if (open.index >= c.ring_next || c.ring_next - open.index > c.ring_size) return false;
  HistoryEntry& e = c.ring[open.index & (c.ring_size - 1)];
  if (e.address != open.begin || e.site != like.site || e.clock != like.clock || e.context != like.context ||
      e.locks != like.locks)
    return false;
  const u64 end = address - open.begin + size;
  if (end != u32(end)) return false;
  if (end > open.size) open.size = end, __atomic_store_n(&e.size, u32(end), __ATOMIC_RELEASE);
  return true;
}

// Of an access that was made in another context, or with other locks.
FR_INLINE void history_add_of(Thread* t, ContextId context, LockSetId locks, uptr address, u64 size,
                              SiteId site) {
  Context& c = t->context;
  const HistoryEntry entry = {address, t->C.own, site, context, locks, u32(min<u64>(size, ~u32(0)))};
  OpenEntry& open = c.open[site % Context::kSites];
  if (history_extend(c, open, address, size, entry)) return;
  if (FR_UNLIKELY(!(c.ring_next & (c.ring_size - 1))) && !history_turn(c)) return;
  open = {address, entry.size, c.ring_next};
  c.ring[c.ring_next & (c.ring_size - 1)] = entry;
  __atomic_store_n(&c.ring_next, c.ring_next + 1, __ATOMIC_RELEASE);
}
FR_INLINE void history_add(Thread* t, uptr address, u64 size, SiteId site) {
  history_add_of(t, quick_context(t), quick_lock_set(t), address, size, site);
}

} // namespace footrace
