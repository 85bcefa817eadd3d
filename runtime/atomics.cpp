// Atomic operations and fences: entry points around the program's own instruction (abi/callbacks.def).
// begin locks the location's synchronisation object, the program does its operation, end applies the rule
// with the order that the operation had and unlocks: value and clocks change together, so a load always meets
// the clock of the store it read. Most loads need no lock for that: they learn nothing, and the object's version tells that nobody was there.
#include "runtime/access.h"
#include "runtime/interception.h"
#include "runtime/recording.h"
#include "runtime/site_table.h"
#include "runtime/sync.h"
#include "runtime/threads.h"

namespace footrace {
namespace {

using fasttrack::Order;

constexpr Order order_of(u32 order) { return Order(min(order, u32(Order::SeqCst))); }

// The race check of an atomic access that the thread has made before in this epoch changes nothing: what it recorded is there, unless a plain
// write has raced with it and was reported, or is the thread's own and stands for it. A write conflicts with whatever a read does.
FR_INLINE bool is_news(Thread* t, const AtomicScope& scope, AccessKind kind) {
  AtomicMemo& memo = t->atomic_memo[(scope.address >> 3) % Thread::kAtomicMemos];
  const u64 version = t->version;
  if (memo.address != scope.address || memo.version != version) memo = {scope.address, version, 0, 0};
  const u32 size = u32(scope.size);
  if (memo.written >= size || (!may_write(kind) && memo.read >= size)) return false;
  (may_write(kind) ? memo.written : memo.read) = size;
  return true;
}

// The race check against plain accesses.
FR_INLINE void check(Thread* t, const AtomicScope& scope, AccessKind kind) {
  const Access a = {scope.address, scope.size, kind, scope.site};
  if (kind == AccessKind::AtomicRead
          ? fasttrack::quick_atomic_read(*t, top_frame(t), a.address, a.size, a.site)
          : atomic_write_at_once(t, a))
    return;
  for (uptr from = a.address, end = from + a.size; from < end;) from = access_in_critical(t, a, from);
}

// What an operation acquires, if there is something.
FR_INLINE void acquire_unless_covered(Thread* t, const Clock& L, Order order) {
  if (FR_LIKELY(fasttrack::covers_clock(*t, L))) return;
  if (fasttrack::may_acquire(order)) remember_heard(t, t->atomic.address, L);
  fasttrack::atomic_load(*t, L, order);
}
// Whether the operation gives to the location what the thread knows: then it is judged before, for whoever acquires that is ordered after the operation too.
FR_INLINE bool releases(const Thread* t, Order order) {
  return may_release(order) || !t->release_fence.empty();
}
// A location that its thread has released last, where it has learned nothing since: only its own clock is new.
FR_INLINE bool released_again(Thread* t, SyncObject* o, Order order) {
  if (!may_release(order) || !is_released_again(t, o)) return false;
  fasttrack::settle(*t);
  fasttrack::release_again(*t, o->L);
  return true;
}

FR_INLINE void unlock(Thread* t, SyncObject* o) {
  t->atomic.object = nullptr;
  o->lock.unlock();
}
FR_INLINE void leave(Thread* t) {
  critical_leave(t);
  leave_step(t);
}
FR_INLINE void check_if_news(Thread* t, const AtomicScope& scope, AccessKind kind) {
  if (!t->ignore && is_news(t, scope, kind)) check(t, scope, kind);
}

// What a load acquires is ordered before the load itself, so the race check against plain accesses comes behind that; and since a release
// starts a new epoch, ahead of what is released. Where nothing is released others need not wait for the check.
FR_NOINLINE void end_and_release(Thread* t, Order order, void (*after)(ThreadState&, Clock&, Order)) {
  const AtomicScope scope = t->atomic;
  check_if_news(t, scope, AccessKind::AtomicWrite);
  if (!released_again(t, scope.object, order)) after(*t, scope.object->L, order);
  unlock(t, scope.object);
  renew_tid_if_needed(t);
  leave(t);
}
FR_NOINLINE void check_and_leave(Thread* t, AtomicScope scope, AccessKind kind) {
  check(t, scope, kind);
  leave(t);
}
FR_INLINE void end_without_release(Thread* t, AccessKind kind) {
  const AtomicScope scope = t->atomic;
  unlock(t, scope.object);
  if (FR_UNLIKELY(!t->ignore && is_news(t, scope, kind))) return check_and_leave(t, scope, kind);
  leave(t);
}

FR_COLD void* begin_slowly(void* address, u64 size, void* site) {
  Thread* t = self();
  if (!t && !(t = attach_foreign_thread())) return nullptr;
  if (t->atomic.object) return nullptr; // a fault inside the previous operation was caught by the program
  critical_enter(t);
  const uptr a = reinterpret_cast<uptr>(address);
  t->atomic = {sync_lock(a), a, size, reinterpret_cast<Site>(site)};
  return is_recording() ? nullptr : &t->atomic;
}

// Where the run is recorded, `begin` gives no scope: so the end comes here, which costs those nothing that have one.
FR_COLD void end_recorded_load(void*, u32 order);
FR_COLD void end_recorded_store(void*, u32 order);
FR_COLD void end_recorded_rmw(void*, u32 order);
FR_COLD void end_recorded_failure(u32 order);

} // namespace

FR_EXPORT void* __footrace_atomic_begin(void* address, u64 size, void* site) {
  Thread* t = self();
  const uptr a = reinterpret_cast<uptr>(address);
  if (FR_LIKELY(t && !t->atomic.object && enter_at_once(t))) {
    __builtin_prefetch(cell_of(a), 1);
    SyncObject* o = sync_object_at(__atomic_load_n(meta_of(a), __ATOMIC_ACQUIRE));
    if (FR_LIKELY(o && __atomic_load_n(&o->address, __ATOMIC_RELAXED) == a && o->lock.try_lock())) {
      if (FR_LIKELY(__atomic_load_n(&o->address, __ATOMIC_RELAXED) == a)) {
        t->atomic = {o, a, size, reinterpret_cast<Site>(site)};
        return &t->atomic;
      }
      o->lock.unlock(); // recycled meanwhile
    }
    leave_at_once(t); // what is pending is done when the slow way leaves
  }
  [[clang::musttail]] return begin_slowly(address, size, site);
}

FR_EXPORT void __footrace_atomic_end_load(void* scope, u32 order) {
  Thread* t = self();
  if (FR_UNLIKELY(!scope || !t)) return end_recorded_load(scope, order);
  acquire_unless_covered(t, t->atomic.object->L, order_of(order));
  end_without_release(t, AccessKind::AtomicRead);
}
FR_EXPORT void __footrace_atomic_end_store(void* scope, u32 order) {
  Thread* t = self();
  if (FR_UNLIKELY(!scope || !t)) return end_recorded_store(scope, order);
  end_and_release(t, order_of(order), fasttrack::atomic_store);
}
FR_EXPORT void __footrace_atomic_end_rmw(void* scope, u32 order) {
  Thread* t = self();
  if (FR_UNLIKELY(!scope || !t)) return end_recorded_rmw(scope, order);
  acquire_unless_covered(t, t->atomic.object->L, order_of(order));
  if (releases(t, order_of(order)))
    end_and_release(t, order_of(order), fasttrack::atomic_continue);
  else
    end_without_release(t, AccessKind::AtomicWrite);
}
FR_EXPORT void __footrace_atomic_end_cas(void* scope, u32 succeeded, u32 success, u32 failure) {
  if (succeeded)
    __footrace_atomic_end_rmw(scope, success);
  else if (FR_UNLIKELY(!scope))
    end_recorded_failure(failure);
  else
    __footrace_atomic_end_load(scope, failure);
}

namespace {

bool is_to_be_recorded() {
  Thread* t = self();
  return is_recording() && t && t->atomic.object;
}
void* record_end(EventKind kind, u32 order) { // gives the scope
  Thread* t = self();
  record_atomic(t, kind, order, t->atomic.address, t->atomic.size, t->atomic.site);
  return &t->atomic;
}
void end_recorded_load(void*, u32 order) {
  if (is_to_be_recorded()) __footrace_atomic_end_load(record_end(EventKind::AtomicLoad, order), order);
}
void end_recorded_store(void*, u32 order) {
  if (is_to_be_recorded()) __footrace_atomic_end_store(record_end(EventKind::AtomicStore, order), order);
}
void end_recorded_rmw(void*, u32 order) {
  if (is_to_be_recorded()) __footrace_atomic_end_rmw(record_end(EventKind::AtomicRmw, order), order);
}
void end_recorded_failure(u32 order) {
  if (is_to_be_recorded()) __footrace_atomic_end_load(record_end(EventKind::AtomicCasFail, order), order);
}

// Inside a critical section. Loads the value if no other thread stores there at the same time and what the store that it reads has published is known to the thread. A
// location without an object has no stores. x86 keeps loads in order; the fence keeps the compiler from changing it.
template <class T> FR_INLINE bool load_what_is_known(const Thread* t, const T* from, T& value) {
  const uptr address = reinterpret_cast<uptr>(from);
  const SyncObject* o = sync_find(address);
  const u32 version = o ? o->lock.version() : 0;
  if (FR_UNLIKELY(VersionedLock::is_held(version))) return false;
  value = __atomic_load_n(from, __ATOMIC_SEQ_CST);
  const bool is_known = covers_release(t, o);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (!o) return !sync_find(address);
  return is_known && __atomic_load_n(&o->address, __ATOMIC_RELAXED) == address &&
         o->lock.version() == version;
}

template <class T> u64 locked_load(T* from, u32 order, void* site) {
  void* scope = __footrace_atomic_begin(from, sizeof(T), site);
  const T value = __atomic_load_n(from, __ATOMIC_SEQ_CST);
  __footrace_atomic_end_load(scope, order);
  return value;
}

template <class T> FR_INLINE u64 load(void* address, u32 order, void* site) {
  Thread* t = self();
  T* from = static_cast<T*>(address);
  T value;
  if (FR_UNLIKELY(!t || !enter_at_once(t))) return locked_load(from, order, site);
  if (FR_UNLIKELY(!load_what_is_known(t, from, value))) {
    critical_leave(t);
    return locked_load(from, order, site);
  }
  const AtomicScope scope = {nullptr, reinterpret_cast<uptr>(from), sizeof(T), reinterpret_cast<Site>(site)};
  if (!t->ignore && is_news(t, scope, AccessKind::AtomicRead)) check(t, scope, AccessKind::AtomicRead);
  critical_leave(t);
  leave_step(t);
  return value;
}

} // namespace

FR_EXPORT u64 __footrace_atomic_load1(void* address, u32 order, void* site) {
  return load<u8>(address, order, site);
}
FR_EXPORT u64 __footrace_atomic_load2(void* address, u32 order, void* site) {
  return load<u16>(address, order, site);
}
FR_EXPORT u64 __footrace_atomic_load4(void* address, u32 order, void* site) {
  return load<u32>(address, order, site);
}
FR_EXPORT u64 __footrace_atomic_load8(void* address, u32 order, void* site) {
  return load<u64>(address, order, site);
}

FR_EXPORT void __footrace_fence(u32 order) {
  Thread* t = self();
  if (!t) return;
  Critical critical(t);
  if (is_recording()) record_event(t, {.kind = EventKind::Fence, .order = MemoryOrder(order_of(order))});
  fasttrack::fence(*t, order_of(order));
  renew_tid_if_needed(t);
}

} // namespace footrace
