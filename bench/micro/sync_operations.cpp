// The synchronisation rules (check/sync_rules.h), with clocks of few and of many threads.
#include "bench/micro/operation.h"
#include "check/sync_rules.h"

namespace footrace::micro {
namespace {

// What a thread that has joined `threads` others, from `first` in steps of `step`, knows.
void know_threads(ThreadState& t, Tid first, Tid step, u32 threads) {
  for (u32 i = 0; i < threads; ++i) {
    NewThread other;
    fasttrack::initial(other, first + i * step, 100 + i);
    fasttrack::join(t, other.C);
  }
}

// Two threads whose clocks have entries of `threads` threads, themselves included.
template <u32 threads> struct Scene {
  NewThread t, u;
  Clock L;
  Scene() {
    fasttrack::initial(t, 1, 1);
    fasttrack::initial(u, 2, 1);
    know_threads(t, 3, 1, threads - 2);
    know_threads(u, 3, 1, threads - 2);
  }
};

// [FT ACQUIRE] and [FT RELEASE] by the thread that held the lock last: nothing new to learn.
template <u32 threads> struct LockUnlock : Scene<threads> {
  using Scene<threads>::t, Scene<threads>::L;
  void once() {
    fasttrack::acquire(t, L);
    fasttrack::release(t, L);
  }
  bool held(u64 n) const { return t.C.own == n + 1 && L.get(1) == n; }
};

// The same as the runtime does it, which sees that L needs only the new entry of its owner.
struct LockUnlockAgain : Scene<2> {
  LockUnlockAgain() { fasttrack::release(t, L); }
  void once() { fasttrack::release_again(t, L); }
  bool held(u64 n) const { return t.C.own == n + 2 && L.get(1) == n + 1; }
};

// The lock goes to and fro: each acquire learns the other's newer clock, and only that.
template <u32 threads> struct LockHandOver : Scene<threads> {
  using Scene<threads>::t, Scene<threads>::u, Scene<threads>::L;
  void once() {
    fasttrack::acquire(t, L);
    fasttrack::release(t, L);
    fasttrack::acquire(u, L);
    fasttrack::release(u, L);
  }
  bool held(u64 n) const { return u.C.get(1) == n && t.C.get(2) == n - 1; }
};

// The worst acquire: thread and lock know different threads, in every leaf of the tree. With the copies that
// put the thread back where it was.
template <u32 threads> struct AcquireAllNew {
  NewThread before, t;
  Clock L;
  AcquireAllNew() {
    NewThread other;
    fasttrack::initial(before, 1, 1);
    fasttrack::initial(other, 2, 1);
    know_threads(before, 3, 2, threads / 2 - 1);
    know_threads(other, 4, 2, threads / 2 - 1);
    fasttrack::release(other, L);
  }
  void once() {
    t.C = before.C;
    fasttrack::acquire(t, L);
  }
  bool held(u64) const {
    return t.C.get(threads - 1) > before.C.get(threads - 1) || t.C.get(threads) > before.C.get(threads);
  }
};

// sigma_0 for the child, [FT FORK], the child's life without events, [FT JOIN].
template <u32 threads> struct ThreadCreate : Scene<threads> {
  using Scene<threads>::t;
  NewThread child;
  u64 start = 1;
  static constexpr Tid kChild = threads + 1;
  void once() {
    fasttrack::initial(child, kChild, start);
    start += 1; // a reused tid goes on after its last clock
    fasttrack::fork(t, child);
    fasttrack::join(t, child.C);
  }
  bool held(u64 n) const { return t.C.get(kChild) == n && child.C.get(1) == n; }
};

} // namespace

void add_sync_operations(Operations& table) {
  add<LockUnlock<2>>(table, "lock_unlock/2", 1000);
  add<LockUnlock<1000>>(table, "lock_unlock/1000", 1000);
  add<LockUnlockAgain>(table, "lock_unlock_again", 1000);
  add<LockHandOver<2>>(table, "lock_hand_over/2", 1000);
  add<LockHandOver<1000>>(table, "lock_hand_over/1000", 1000);
  add<AcquireAllNew<4>>(table, "acquire_all_new/4", 1000);
  add<AcquireAllNew<1000>>(table, "acquire_all_new/1000", 100);
  add<ThreadCreate<2>>(table, "thread_create/2", 1000);
  add<ThreadCreate<1000>>(table, "thread_create/1000", 1000);
}

} // namespace footrace::micro
