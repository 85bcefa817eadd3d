#include "runtime/sync.h"

#include "base/placement.h"
#include "check/touched_pages.h"
#include "runtime/arena.h"
#include "runtime/recording.h"
#include "runtime/threads.h"

namespace footrace {

alignas(64) SyncObject* g_sync_objects; // everybody reads it, and what stands behind it changes

namespace {

// Objects live in one reserved arena and are recycled, never unmapped: a stale pointer stays readable, and whoever locks an object checks its
// address again. Their extras likewise. Index 0 names nothing.
template <class T> struct alignas(64) Pool {
  SpinLock lock;
  u32 used;
  u32 free; // list through T::next
  T* arena;

  static constexpr u32 kCapacity = 1u << 28;
  u32 allocate() {
    SpinGuard guard(lock);
    if (!arena) {
      T* mapped = reinterpret_cast<T*>(map_memory(u64(kCapacity) * sizeof(T)));
      FR_CHECK(mapped && "out of memory for synchronisation objects");
      __atomic_store_n(&arena, mapped, __ATOMIC_RELEASE);
    }
    if (const u32 index = free) {
      free = arena[index].next;
      return index;
    }
    FR_CHECK(used + 1 < kCapacity && "too many synchronisation objects");
    return ++used;
  }
  void give_back(u32 index) {
    SpinGuard guard(lock);
    arena[index].next = free;
    free = index;
  }
};
Pool<SyncObject> g_objects;
Pool<SyncExtras> g_extras;

// Chains in the meta plane change under the lock of their word; those of neighbouring words are in lines of their own.
constexpr u32 kChainLocks = 256;
struct alignas(64) ChainLock {
  SpinLock lock;
};
ChainLock g_chain_locks[kChainLocks];
SpinLock& chain_lock(uptr address) { return g_chain_locks[(address >> 3) % kChainLocks].lock; }

u32 index_of(const SyncObject& o) { return u32(&o - g_sync_objects); }

SyncObject* allocate() {
  const u32 index = g_objects.allocate();
  if (FR_UNLIKELY(!__atomic_load_n(&g_sync_objects, __ATOMIC_RELAXED)))
    __atomic_store_n(&g_sync_objects, g_objects.arena, __ATOMIC_RELEASE);
  return &g_sync_objects[index];
}

// Of a locked object.
SyncExtras& extras_of(SyncObject& o) {
  if (!o.extras) o.extras = g_extras.allocate();
  return g_extras.arena[o.extras];
}

SyncObject* find_or_make(uptr address) {
  if (SyncObject* o = sync_find(address)) return o;
  SpinGuard guard(chain_lock(address));
  if (SyncObject* o = sync_find(address)) return o;
  SyncObject* o = allocate();
  u32* head = meta_of(address);
  o->next = *head;
  hint_at_meta(address);
  __atomic_store_n(&o->address, address, __ATOMIC_RELEASE);
  __atomic_store_n(head, index_of(*o), __ATOMIC_RELEASE);
  return o;
}

void clear_readers(SyncObject& o) {
  extras_of(o).readers.clear();
  o.has_readers = false;
}

BarrierRound* g_free_rounds; // through BarrierRound::next
BarrierRound* g_rounds;      // all that were ever made, through next_made
SpinLock g_rounds_lock;

// With one reference, the barrier's.
BarrierRound* make_round() {
  BarrierRound* round;
  {
    SpinGuard guard(g_rounds_lock);
    round = g_free_rounds;
    if (round) g_free_rounds = round->next;
  }
  if (!round) {
    round = new (Place{arena_allocate(sizeof(BarrierRound))}) BarrierRound();
    SpinGuard guard(g_rounds_lock);
    round->next_made = g_rounds;
    g_rounds = round;
  }
  round->refs = 1;
  return round;
}

u64 g_generations;

void record_barrier_half(Thread* t, const BarrierRound* round, EventKind kind,
                         EventKind without_generations) {
  if (round->generation)
    record_barrier(t, kind, round->barrier, round->generation);
  else
    record(t, without_generations, round->barrier);
}

void drop_round(BarrierRound* round) {
  if (!round || __atomic_sub_fetch(&round->refs, 1, __ATOMIC_ACQ_REL)) return;
  round->clock.clear();
  SpinGuard guard(g_rounds_lock);
  round->next = g_free_rounds;
  g_free_rounds = round;
}

} // namespace

SyncObject* sync_lock_slowly(uptr address) {
  for (;;) {
    SyncObject* o = find_or_make(address);
    o->lock.lock();
    if (FR_LIKELY(__atomic_load_n(&o->address, __ATOMIC_RELAXED) == address)) return o;
    o->lock.unlock(); // recycled meanwhile
  }
}

namespace {

class Locked {
public:
  Locked(Thread* t, uptr address) : critical_(t), object_(sync_lock(address)) {}
  ~Locked() { object_->lock.unlock(); }
  SyncObject* operator->() { return object_; }
  SyncObject& operator*() { return *object_; }

private:
  Critical critical_;
  SyncObject* object_;
};

} // namespace

void sync_acquire(Thread* t, uptr address) {
  Critical critical(t);
  const SyncObject* known = sync_find(address);
  if (FR_LIKELY(covers_release(t, known) && (!known || !known->has_readers))) return;
  Locked o(t, address);
  remember_heard(t, address, o->L);
  fasttrack::acquire(*t, o->L);
  if (FR_UNLIKELY(o->has_readers)) fasttrack::acquire(*t, extras_of(*o).readers);
}

void sync_release(Thread* t, uptr address) {
  Critical critical(t);
  SyncObject* known = sync_find(address);
  if (FR_LIKELY(is_released_again(t, known))) {
    fasttrack::settle(*t);
    fasttrack::release_again(*t, known->L);
  } else {
    Locked o(t, address);
    fasttrack::release(*t, o->L);
    if (FR_UNLIKELY(o->has_readers)) clear_readers(*o); // a writer has waited for them
  }
  renew_tid_if_needed(t);
}

void sync_acquire_shared(Thread* t, uptr address) {
  Critical critical(t);
  if (FR_LIKELY(covers_release(t, sync_find(address)))) return;
  Locked o(t, address);
  remember_heard(t, address, o->L);
  fasttrack::acquire(*t, o->L);
}

void sync_release_shared(Thread* t, uptr address) {
  Locked o(t, address);
  fasttrack::write_volatile(*t, extras_of(*o).readers);
  o->has_readers = true;
  renew_tid_if_needed(t);
}

void sync_read_volatile(Thread* t, uptr address) {
  Locked o(t, address);
  remember_heard(t, address, o->L);
  fasttrack::read_volatile(*t, o->L);
  record(t, EventKind::VolatileRead, address);
}

void sync_write_volatile(Thread* t, uptr address) {
  Locked o(t, address);
  record(t, EventKind::VolatileWrite, address);
  fasttrack::write_volatile(*t, o->L);
  renew_tid_if_needed(t);
}

void sync_annotate_acquire(Thread* t, uptr address) {
  Locked o(t, address);
  if (!o->extras) return; // nobody has released
  remember_heard(t, address, extras_of(*o).annotations);
  fasttrack::read_volatile(*t, extras_of(*o).annotations);
  record(t, EventKind::VolatileRead, annotation_variable(address));
}

void sync_annotate_release(Thread* t, uptr address) {
  Locked o(t, address);
  record(t, EventKind::VolatileWrite, annotation_variable(address));
  fasttrack::write_volatile(*t, extras_of(*o).annotations);
  renew_tid_if_needed(t);
}

void sync_barrier_init(uptr address, u32 parties) {
  Thread* t = self();
  sync_forget(address, 8);
  Locked o(t, address);
  SyncExtras& barrier = extras_of(*o);
  barrier.parties = parties;
  barrier.arrivals = 0;
}

BarrierRound* sync_barrier_arrive(Thread* t, uptr address) {
  Locked o(t, address);
  // Of a barrier that was initialised unseen nobody knows where a generation ends: all are one, which only adds order.
  SyncExtras& barrier = extras_of(*o);
  bool first = barrier.parties ? barrier.arrivals % barrier.parties == 0 : !barrier.round;
  ++barrier.arrivals;
  if (first) {
    drop_round(barrier.round);
    barrier.round = make_round();
    barrier.round->barrier = address;
    barrier.round->generation = barrier.parties ? __atomic_add_fetch(&g_generations, 1, __ATOMIC_RELAXED) : 0;
  }
  BarrierRound* round = barrier.round;
  record_barrier_half(t, round, EventKind::BarrierArrive, EventKind::VolatileWrite);
  __atomic_fetch_add(&round->refs, 1, __ATOMIC_RELAXED);
  {
    SpinGuard guard(round->lock);
    fasttrack::barrier_arrive(*t, round->clock);
  }
  renew_tid_if_needed(t);
  return round;
}

void sync_barrier_leave(Thread* t, BarrierRound* round) {
  Critical critical(t);
  {
    SpinGuard guard(round->lock);
    fasttrack::barrier_leave(*t, round->clock);
  }
  record_barrier_half(t, round, EventKind::BarrierLeave, EventKind::VolatileRead);
  drop_round(round);
}

namespace {

void forget_extras(SyncObject& o) {
  if (FR_LIKELY(!o.extras)) return;
  SyncExtras& extras = g_extras.arena[o.extras];
  extras.readers.clear();
  extras.annotations.clear();
  drop_round(extras.round);
  extras.round = nullptr;
  extras.arrivals = extras.parties = 0;
  g_extras.give_back(o.extras);
  o.extras = 0;
  o.has_readers = false;
}

void forget_word(u32* head) {
  uptr word = ((reinterpret_cast<uptr>(head) - kMetaBase) << 1);
  SpinGuard guard(chain_lock(word));
  u32 index = __atomic_exchange_n(head, 0, __ATOMIC_ACQ_REL);
  while (SyncObject* o = sync_object_at(index)) {
    o->lock.lock();
    index = o->next;
    __atomic_store_n(&o->address, 0, __ATOMIC_RELAXED);
    o->L.clear();
    forget_extras(*o);
    o->lock.unlock();
    g_objects.give_back(index_of(*o));
  }
}

} // namespace

void sync_forget_in(uptr address, u64 size) {
  Critical critical(self());
  uptr begin = reinterpret_cast<uptr>(meta_of(address)),
       end = reinterpret_cast<uptr>(meta_of(address + size - 1)) + 4;
  for_each_touched(begin, end, [](uptr from, uptr to) {
    for (u32* head = reinterpret_cast<u32*>(from); head < reinterpret_cast<u32*>(to); ++head)
      if (FR_UNLIKELY(__atomic_load_n(head, __ATOMIC_RELAXED))) forget_word(head);
  });
}

void token_acquire(Thread* t, SyncToken& token) {
  Critical critical(t);
  SpinGuard guard(token.lock);
  fasttrack::read_volatile(*t, token.L);
  record(t, EventKind::VolatileRead, annotation_variable(reinterpret_cast<uptr>(&token)));
}

void token_release(Thread* t, SyncToken& token) {
  Critical critical(t);
  SpinGuard guard(token.lock);
  record(t, EventKind::VolatileWrite, annotation_variable(reinterpret_cast<uptr>(&token)));
  fasttrack::write_volatile(*t, token.L);
  renew_tid_if_needed(t);
}

void visit_sync_clocks(void (*fn)(void*, Clock&), void* argument) {
  for (u32 index = 1; index <= g_objects.used; ++index) fn(argument, g_sync_objects[index].L);
  for (u32 index = 1; index <= g_extras.used; ++index) {
    fn(argument, g_extras.arena[index].readers);
    fn(argument, g_extras.arena[index].annotations);
  }
  for (BarrierRound* round = g_rounds; round; round = round->next_made) fn(argument, round->clock);
}

void sync_pool_lock_all() {
  for (ChainLock& one : g_chain_locks) one.lock.lock();
  g_objects.lock.lock();
  g_extras.lock.lock();
  g_rounds_lock.lock();
}
void sync_pool_unlock_all() {
  g_rounds_lock.unlock();
  g_extras.lock.unlock();
  g_objects.lock.unlock();
  for (ChainLock& one : g_chain_locks) one.lock.unlock();
}

} // namespace footrace
