// Invariant that Clock's freshness relies on: every rule that publishes C_t ticks t before it returns.
#include "check/sync_rules.h"

namespace footrace {
FR_KEEPS_REGISTERS void first_era_again(ThreadState& t) { log_eras_wrap(t); }
} // namespace footrace

namespace footrace::fasttrack {

FR_KEEPS_REGISTERS void forget_known_readers(ThreadState& t) { forget_readers(t); }

namespace {

// L := L join C, where L is no longer a copy of any one thread's clock.
void merge_into(Clock& L, const Clock& C) {
  if (L.empty()) {
    L = C;
    return;
  }
  if (L.join(C)) L.exact = false;
}
void forget_covered(ThreadState& t) {
  for (u32 slot = 0; slot < t.covered_end; ++slot) t.covered[slot] = 0;
  t.covered[0] = kAncientEpoch.raw;
  t.covered_end = t.C.owner + 1;
}
} // namespace

void initial(ThreadState& t, Tid tid, u64 start) {
  t.C.clear();
  t.release_fence.clear();
  t.acquire_fence.clear();
  t.waiting = WaitingBytes();
  t.C.owner = tid;
  t.C.own = t.C.since = t.first = start;
  t.C.exact = true;
  forget_covered(t);
  for (ReadMemo& memo : t.memo) memo = {};
  for (u64& known : t.known_set) known = 0;
  for (BytesMemo& memo : t.bytes_memo) memo = {};
  for (CheckedRange& range : t.ranges) range = {};
  for (BlockHits& hits : t.block_hits) hits = {};
  set_epoch(t);
}

void renumbered(ThreadState& t, u64 now, u64 first) {
  const Epoch before = t.epoch;
  t.C.own = t.C.since = now;
  t.first = first;
  forget_covered(t);
  ClockMirror mirror = {t.covered, t.covered_end};
  t.C.tree.for_each([&mirror](Tid slot, u64 clock) { mirror.write(slot, clock); });
  t.covered_end = mirror.end;
  if (make_epoch(t.C.owner, now) != before)
    set_epoch(t);
  else
    t.covered[t.C.owner] = before.raw;
}

void publish_epoch(ThreadState& t, InLine* where) {
  if (t.published) *t.published = InLine();
  t.published = where;
  set_epoch(t);
}

void tick(ThreadState& t) {
  settle(t);
  begin_epoch(t);
}

void acquire(ThreadState& t, const Clock& L) {
  settle(t);
  ClockMirror mirror = {t.covered, t.covered_end};
  if (!t.C.join(L, &mirror)) return;
  t.C.since = t.C.own;
  t.covered_end = mirror.end;
  t.covered[t.C.owner] = t.epoch.raw;
}

void tick_if_stepped(ThreadState& t, Clock& L) {
  if (has_stepped(t))
    tick(t);
  else
    --L.own;
}

void release(ThreadState& t, Clock& L) {
  settle(t);
  L = t.C;
  tick_if_stepped(t, L);
}

void fork(ThreadState& t, ThreadState& u) {
  acquire(u, t.C);
  tick(t);
}

void join(ThreadState& t, const Clock& u_final) { acquire(t, u_final); }

void read_volatile(ThreadState& t, const Clock& L) { acquire(t, L); }

void write_volatile(ThreadState& t, Clock& L) {
  merge_into(L, t.C);
  tick(t);
}

void barrier_arrive(ThreadState& t, Clock& generation) { write_volatile(t, generation); }
void barrier_leave(ThreadState& t, const Clock& generation) { acquire(t, generation); }

void atomic_load(ThreadState& t, const Clock& L, Order order) {
  if (L.empty()) return;
  if (may_acquire(order))
    acquire(t, L);
  else
    merge_into(t.acquire_fence, L); // an acquire fence may follow
}

void atomic_store(ThreadState& t, Clock& L, Order order) {
  if (may_release(order))
    release(t, L);
  else
    L = t.release_fence; // empty unless a release fence came before
}

void atomic_rmw(ThreadState& t, Clock& L, Order order) {
  atomic_load(t, L, order);
  atomic_continue(t, L, order);
}

void atomic_continue(ThreadState& t, Clock& L, Order order) {
  if (may_release(order)) {
    if (may_acquire(order) || covers_clock(t, L))
      release(t, L); // C_t already holds L
    else
      write_volatile(t, L);
  } else if (!t.release_fence.empty()) {
    merge_into(L, t.release_fence);
  }
}

void fence(ThreadState& t, Order order) {
  if (may_acquire(order) && !t.acquire_fence.empty()) {
    acquire(t, t.acquire_fence);
    t.acquire_fence.clear();
  }
  if (may_release(order)) release(t, t.release_fence);
}

} // namespace footrace::fasttrack
