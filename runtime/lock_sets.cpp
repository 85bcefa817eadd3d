// The locks a thread holds, in the order it took them, and their interned form: a persistent list whose node
// is (set of the locks taken before, lock, mode, where it was taken). Sets are only interned when the log
// asks for one, and each held lock remembers its set, so the work is proportional to the locks taken since.
#include "runtime/lock_sets.h"

#include "runtime/intern_table.h"

namespace footrace {
namespace {

struct LockSetNode {
  uptr address;
  LockSetId parent;
  ContextId taken;
  LockMode mode;
  bool same(const LockSetNode& other) const {
    return address == other.address && parent == other.parent && taken == other.taken && mode == other.mode;
  }
  u64 hash() const { return mix_hash(address ^ mix_hash((u64(parent) << 32 | taken) + u64(mode))); }
};

constexpr u32 kMaxLockSets = 16u << 20;
InternTable<LockSetNode, kMaxLockSets> g_sets;

FR_COLD bool grow_held(Context& c) {
  if (!c.held) return false; // the thread has no Context (any more)
  u32 capacity = c.held_capacity * 2;
  uptr bigger = map_memory(capacity * sizeof(HeldLock));
  if (!bigger) return false;
  copy_bytes(reinterpret_cast<void*>(bigger), c.held, c.held_count * sizeof(HeldLock));
  // The first array is part of the area and stays.
  if (uptr(c.held) != c.area) unmap_memory(uptr(c.held), c.held_capacity * sizeof(HeldLock));
  c.held = reinterpret_cast<HeldLock*>(bigger);
  c.held_capacity = capacity;
  return true;
}

} // namespace

namespace {

// A memo that says where.
LockSetMemo& memo_of(Thread* t, uptr address, LockMode mode, uptr pc) {
  LockSetMemo& memo = lock_set_memo(t->context, address, pc);
  memo = {address, pc, mode == LockMode::Shared, 0, context_at(t, pc), 0, 0};
  if (const Frame* caller = known_caller(t->context))
    memo.caller = caller->node;
  else
    memo.pc = 0; // for this time
  return memo;
}

// The set `parent` and this lock; mostly without the shared table.
LockSetId set_with(Context& c, LockSetId parent, const HeldLock& lock) {
  LockSetMemo& memo = c.lock_set_memo[lock.memo];
  const bool is_its_memo =
      memo.address == lock.address && memo.taken == lock.taken && memo.mode() == lock.mode;
  if (is_its_memo && memo.set && memo.parent == parent) return memo.set;
  LockSetId set = g_sets.intern({lock.address, parent, lock.taken, lock.mode});
  if (!set) return kLostLockSet;
  if (is_its_memo) memo.parent = parent, memo.set = set;
  return set;
}

} // namespace

void lock_taken(Thread* t, uptr address, LockMode mode, uptr pc) {
  if (lock_taken_at_once(t, address, mode, pc)) return;
  Context& c = t->context;
  if (HeldLock* held = find_held(c, address)) {
    ++held->depth;
    return;
  }
  if (c.held_count == c.held_capacity && !grow_held(c)) return;
  memo_of(t, address, mode, pc);
  if (lock_taken_at_once(t, address, mode, pc)) return;
  const LockSetMemo& memo = lock_set_memo(c, address, pc);
  push_held(t, memo, 0);
}

void lock_dropped(Thread* t, uptr address) {
  if (lock_dropped_at_once(t, address)) return;
  Context& c = t->context;
  HeldLock* held = find_held(c, address); // null if another thread took it
  if (!held || --held->depth) return;
  HeldLock* end = c.held + --c.held_count;
  for (; held != end; ++held) {
    held[0] = held[1];
    held[0].set = 0;
  }
  locks_have_changed(t);
}

LockSetId current_lock_set(Thread* t) {
  Context& c = t->context;
  u32 known = c.held_count;
  while (known && !c.held[known - 1].set) --known;
  LockSetId id = known ? c.held[known - 1].set : 0;
  for (; known < c.held_count && id != kLostLockSet; ++known) {
    HeldLock& lock = c.held[known];
    lock.set = id = set_with(c, id, lock);
  }
  return id;
}

u32 lock_set_members(LockSetId id, HeldLock* out, u32 capacity) {
  u32 count = 0;
  const LockSetNode* node = id == kLostLockSet ? nullptr : g_sets.get(id);
  for (; count < capacity && node; node = g_sets.get(node->parent))
    out[count++] = {node->address, node->taken, node->mode, 0, 1, 0};
  return count;
}

} // namespace footrace
