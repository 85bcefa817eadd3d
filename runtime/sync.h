// Synchronisation objects by address, found through the meta plane in O(1): mutexes, atomics, semaphores,
// once flags... Concurrency: each object has its own spin lock; all functions here open a Critical section
// themselves.
#pragma once

#include "check/mapping.h"
#include "check/sync_rules.h"
#include "runtime/thread.h"

namespace footrace {

// One generation of a barrier: what its parties have done before they arrived. Each party keeps it from arrival to
// departure, because the first one that leaves may destroy the barrier.
struct BarrierRound {
  SpinLock lock; // of the clock
  u32 refs;      // parties under way, and the barrier while the generation is its latest
  uptr barrier;
  u64 generation; // of all barriers together, from 1; 0: nobody knows where one ends
  Clock clock;
  BarrierRound* next; // while free
  BarrierRound* next_made;
};

// What few objects need: read-write locks, barriers, and what the program says itself.
struct SyncExtras {
  Clock readers;     // rwlock: join of the read releases since the last write release
  Clock annotations; // apart, so that a mutex or an atomic at the same address does not overwrite them
  // Barriers.
  u64 arrivals;
  u32 parties; // 0: not known
  u32 next;    // while free
  BarrierRound* round;
};

// Threads work on neighbouring objects at the same time, so each is a cache line of its own. Programs have many: the count of each shared_ptr is one.
struct alignas(64) SyncObject {
  uptr address;
  u32 next;   // index of the next object in the same 8 bytes
  u32 extras; // index of its SyncExtras; 0: it has none
  VersionedLock lock;
  bool has_readers; // extras.readers is not empty
  Clock L;          // last release (mutex), release sequence (atomic), join of posts (semaphore)
};
static_assert(sizeof(SyncObject) == 64);

extern SyncObject* g_sync_objects; // by index; 0 is none
inline SyncObject* sync_object_at(u32 index) { return index ? &g_sync_objects[index] : nullptr; }

// The object at `address`, if there is one. It may go to another address at any time.
FR_INLINE SyncObject* sync_find(uptr address) {
  for (SyncObject* o = sync_object_at(__atomic_load_n(meta_of(address), __ATOMIC_ACQUIRE)); o;
       o = sync_object_at(__atomic_load_n(&o->next, __ATOMIC_ACQUIRE)))
    if (__atomic_load_n(&o->address, __ATOMIC_RELAXED) == address) return o;
  return nullptr;
}

// Both of these compare numbers of epochs: inside a critical section, since they may be renumbered.
// The last release was this thread's. Of a lock, asked by who holds it in the program: nobody else can acquire or release it now, so
// the object needs no lock of its own. (A program that destroys a lock while it is held gets a stale answer, no more.)
FR_INLINE bool has_own_release(const Thread* t, const SyncObject* o) {
  return o && o->L.exact && o->L.owner == t->tid() && o->L.own >= t->first;
}

// C_t covers the last release, so acquiring it brings nothing. Of a lock, asked by who holds it in the program, be it as one of several
// readers: nobody can release it for writing now. Only numbers are compared, so that here too a lock that is misused gives a stale answer, no more.
FR_INLINE bool covers_release(const Thread* t, const SyncObject* o) {
  return !o || fasttrack::covers_clock(*t, o->L);
}

// [FT RELEASE] by the thread that has released it last, and has learned nothing in between: only its own entry is new (release_again).
FR_INLINE bool is_released_again(const Thread* t, const SyncObject* o) {
  return has_own_release(t, o) && !o->has_readers && o->L.tree.same_tree(t->C.tree);
}

// Inside a critical section, before L is acquired. For reports; of rare use, and so not for acquires that bring nothing.
FR_INLINE void remember_heard(Thread* t, uptr object, const Clock& L) {
  if (!L.exact || L.empty() || fasttrack::covers_clock(*t, L)) return;
  t->heard[L.owner % Thread::kHeard] = {object, make_epoch(L.owner, L.own)};
}

// The object at `address`, locked. The caller is inside a Critical section and unlocks it.
SyncObject* sync_lock_slowly(uptr address);
FR_INLINE SyncObject* sync_lock(uptr address) {
  if (SyncObject* o = sync_find(address); FR_LIKELY(o != nullptr)) {
    o->lock.lock();
    if (FR_LIKELY(__atomic_load_n(&o->address, __ATOMIC_RELAXED) == address)) return o;
    o->lock.unlock(); // recycled meanwhile
  }
  return sync_lock_slowly(address);
}

// Edges of the happens-before relation through the object at `address`, which is made on first use.
void sync_acquire(Thread* t, uptr address);          // [FT ACQUIRE]: exclusive lock, also after read releases
void sync_release(Thread* t, uptr address);          // [FT RELEASE]: exclusive unlock
void sync_acquire_shared(Thread* t, uptr address);   // read lock: ordered after the last write release only
void sync_release_shared(Thread* t, uptr address);   // read unlock: adds to what the next writer waits for
void sync_read_volatile(Thread* t, uptr address);    // [FT READ VOLATILE]: semaphore wait, once, guard
void sync_write_volatile(Thread* t, uptr address);   // [FT WRITE VOLATILE]: semaphore post, once done
void sync_annotate_acquire(Thread* t, uptr address); // __tsan_acquire, HAPPENS_AFTER
void sync_annotate_release(Thread* t, uptr address); // __tsan_release, HAPPENS_BEFORE: joins
// Barriers. What arrive returns is to be given to leave, exactly once; the barrier may be gone by then.
void sync_barrier_init(uptr address, u32 parties);
BarrierRound* sync_barrier_arrive(Thread* t, uptr address);
void sync_barrier_leave(Thread* t, BarrierRound* round);
// The object's memory is gone or re-initialised: drop every object in the range. Cheap where there are none.
FR_COLD void sync_forget_in(uptr address, u64 size);
FR_INLINE void sync_forget(uptr address, u64 size) {
  constexpr u64 kFew = 64 << 10;
  if (FR_UNLIKELY(size && (size > kFew || may_have_meta(address, size)))) sync_forget_in(address, size);
}

// For things that are not addresses (descriptors, signals, thread-pool tickets): a private clock.
struct SyncToken {
  SpinLock lock;
  Clock L;
};
void token_acquire(Thread* t, SyncToken& token);
void token_release(Thread* t, SyncToken& token); // joins

// While the world is stopped: every clock of objects and barriers.
void visit_sync_clocks(void (*fn)(void*, Clock&), void* argument);

// For fork.
void sync_pool_lock_all();
void sync_pool_unlock_all();

} // namespace footrace
