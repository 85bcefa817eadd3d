// Synchronisation rules of FastTrack (PLDI'09, Figure 3 and section 4), plus C++20 atomics.
// Each function is one rule and carries the paper's name. L is a lock's or an atomic's clock; the caller
// holds whatever protects L. Release-like rules tick the thread: what follows is in a new epoch.
#pragma once

#include "check/readers.h"

namespace footrace::fasttrack {

// sigma_0: C_t = inc_t(bottom). `start` is 1, or for a reused tid one more than that tid's last clock.
void initial(ThreadState& t, Tid tid, u64 start);
// All epochs have other numbers now (check/renumbering.h): the tree of C has them, and this is the thread's own.
void renumbered(ThreadState& t, u64 now, u64 first);
// Makes the epoch visible to the thread's code, or with null invisible again.
void publish_epoch(ThreadState& t, InLine* where);
FR_INLINE void settle(ThreadState& t) { // what the thread has accessed is judged by what it knew then
  if (FR_UNLIKELY(t.waiting.used)) t.settle(t);
}
void tick(ThreadState& t); // C_t := inc_t(C_t)
FR_NOINLINE FR_KEEPS_REGISTERS void forget_known_readers(ThreadState& t);
// What code in line and the log must learn of a new epoch.
FR_INLINE void set_epoch(ThreadState& t) {
  t.epoch = make_epoch(t.C.owner, t.C.own);
  t.both = u64(t.epoch.raw) << 32 | t.epoch.raw;
  t.covered[t.C.owner] = t.epoch.raw;
  in_line(t).epoch = t.both;
  if (FR_UNLIKELY(t.known)) forget_known_readers(t);
  ++t.version;
  t.log.ticked = t.log.next;
  log_begins_era(t);
}
FR_INLINE void begin_epoch(ThreadState& t) {
  ++t.C.own;
  set_epoch(t);
}
// Whether an epoch names anything. Of a thread that does not log its steps nobody knows.
FR_INLINE bool has_stepped(const ThreadState& t) {
  return !t.log.next || t.log.next != t.log.ticked || t.C.own == t.first;
}
// After a release into L, a copy of C_t. Without a step since the last tick the epoch names nothing yet, and goes on: L is as if it had been copied
// before the epoch began.
void tick_if_stepped(ThreadState& t, Clock& L);

// C_t covers L, so acquiring it brings nothing. False: nobody knows. A release that kept its epoch has the clock before it, but its tree may have grown in
// the epoch that was kept (`since`): whoever covers no more than the clock before has not seen that.
FR_INLINE bool covers_clock(const ThreadState& t, const Clock& L) {
  if (L.empty()) return true;
  if (!L.exact) return false;
  if (L.owner == t.tid()) return L.own >= t.first;
  return covers(t, make_epoch(L.owner, max(L.own, L.since)));
}

void acquire(ThreadState& t, const Clock& L); // [FT ACQUIRE]        C_t := C_t join L_m
void release(ThreadState& t, Clock& L);       // [FT RELEASE]        L_m := C_t; tick

// [FT RELEASE] where L is a copy of C_t but for C_t(t), and nothing waits. Whoever compares the numbers of L meanwhile gets them of before or of now.
FR_INLINE void release_again(ThreadState& t, Clock& L) {
  const bool stepped = has_stepped(t);
  __atomic_store_n(&L.own, stepped ? t.C.own : t.C.own - 1, __ATOMIC_RELAXED);
  __atomic_store_n(&L.since, t.C.since, __ATOMIC_RELAXED);
  if (stepped) begin_epoch(t);
}

void fork(ThreadState& t, ThreadState& u);          // [FT FORK]           C_u := C_u join C_t; tick t
void join(ThreadState& t, const Clock& u_final);    // [FT JOIN]           C_t := C_t join C_u
void read_volatile(ThreadState& t, const Clock& L); // [FT READ VOLATILE]  C_t := C_t join L_vx
void write_volatile(ThreadState& t, Clock& L);      // [FT WRITE VOLATILE] L_vx := C_t join L_vx; tick
// [FT BARRIER RELEASE] in its two halves: each thread arrives into the generation's clock, and leaves with
// all of it.
void barrier_arrive(ThreadState& t, Clock& generation);
void barrier_leave(ThreadState& t, const Clock& generation);

enum class Order : u8 { Relaxed, Consume, Acquire, Release, AcqRel, SeqCst };
constexpr bool may_acquire(Order o) { return o != Order::Relaxed && o != Order::Release; }
constexpr bool may_release(Order o) { return o >= Order::Release; }
// C++20 atomics. L is the clock of the release sequence that the location's current value belongs to.
void atomic_load(ThreadState& t, const Clock& L, Order order);
void atomic_store(ThreadState& t, Clock& L, Order order); // starts a new sequence: cuts the old one (P0982)
void atomic_rmw(ThreadState& t, Clock& L, Order order);   // continues the sequence: atomic_load, then
void atomic_continue(ThreadState& t, Clock& L, Order order); // what it releases
void fence(ThreadState& t, Order order);

} // namespace footrace::fasttrack
