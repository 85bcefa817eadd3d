// Synchronisation objects by address, found through the meta plane in O(1): mutexes, atomics, semaphores,
// once flags... Concurrency: each object has its own spin lock; all functions here open a Critical section
// themselves.
#pragma once

#include "runtime/thread.h"

namespace footrace {

struct SyncObject {
  uptr address;
  u32 next; // index of the next object in the same 8 bytes
  u32 self_index;
  SpinLock lock;
  Clock L;       // last release (mutex), release sequence (atomic), join of posts (semaphore)
  Clock readers; // rwlock: join of the read releases since the last write release
  // Barriers: two generations, see runtime/interceptors/pthread_sync.cpp.
  u64 arrivals;
  u32 parties;
  Clock generation[2];
};

// The object at `address`, locked. The caller is inside a Critical section and unlocks it.
SyncObject* sync_lock(uptr address);

// Edges of the happens-before relation through the object at `address`, which is made on first use.
void sync_acquire(Thread* t, uptr address);        // [FT ACQUIRE]: exclusive lock, also after read releases
void sync_release(Thread* t, uptr address);        // [FT RELEASE]: exclusive unlock
void sync_acquire_shared(Thread* t, uptr address); // read lock: ordered after the last write release only
void sync_release_shared(Thread* t, uptr address); // read unlock: adds to what the next writer waits for
void sync_read_volatile(Thread* t, uptr address);  // [FT READ VOLATILE]: semaphore wait, once, guard
void sync_write_volatile(Thread* t, uptr address); // [FT WRITE VOLATILE]: semaphore post, once done
// Barriers. arrive returns the generation to pass to leave.
void sync_barrier_init(uptr address, u32 parties);
u64 sync_barrier_arrive(Thread* t, uptr address);
void sync_barrier_leave(Thread* t, uptr address, u64 generation);
// The object's memory is gone or re-initialised: drop every object in the range. Cheap where there are none.
void sync_forget(uptr address, u64 size);

// For things that are not addresses (descriptors, signals, thread-pool tickets): a private clock.
struct SyncToken {
  SpinLock lock;
  Clock L;
};
void token_acquire(Thread* t, SyncToken& token);
void token_release(Thread* t, SyncToken& token); // joins

// For fork.
void sync_pool_lock_all();
void sync_pool_unlock_all();

} // namespace footrace
