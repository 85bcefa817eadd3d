// Synchronisation rules of FastTrack (PLDI'09, Figure 3 and section 4), plus C++20 atomics.
// Each function is one rule and carries the paper's name. L is a lock's or an atomic's clock; the caller
// holds whatever protects L. Release-like rules tick the thread: what follows is in a new epoch.
#pragma once

#include "check/thread_state.h"

namespace footrace::fasttrack {

// sigma_0: C_t = inc_t(bottom). `start` is 1, or for a reused tid one more than that tid's last clock.
void initial(ThreadState& t, Tid tid, u64 start);
// All epochs have other numbers now (check/renumbering.h): the tree of C has them, and this is the thread's own.
void renumbered(ThreadState& t, u64 now, u64 first);
// Makes the epoch visible to the thread's code, or with null invisible again.
void publish_epoch(ThreadState& t, InLine* where);
void settle(ThreadState& t); // what the thread has accessed is judged by what it knew then
void tick(ThreadState& t);   // C_t := inc_t(C_t)
// After a release into L, a copy of C_t. Without a step since the last tick the epoch names nothing yet, and goes on: L is as if it had been copied
// before the epoch began.
void tick_if_stepped(ThreadState& t, Clock& L);

void acquire(ThreadState& t, const Clock& L);       // [FT ACQUIRE]        C_t := C_t join L_m
void release(ThreadState& t, Clock& L);             // [FT RELEASE]        L_m := C_t; tick
void fork(ThreadState& t, ThreadState& u);          // [FT FORK]           C_u := C_u join C_t; tick t
void join(ThreadState& t, const Clock& u_final);    // [FT JOIN]           C_t := C_t join C_u
void read_volatile(ThreadState& t, const Clock& L); // [FT READ VOLATILE]  C_t := C_t join L_vx
void write_volatile(ThreadState& t, Clock& L);      // [FT WRITE VOLATILE] L_vx := C_t join L_vx; tick
// [FT BARRIER RELEASE] in its two halves: each thread arrives into the generation's clock, and leaves with
// all of it.
void barrier_arrive(ThreadState& t, Clock& generation);
void barrier_leave(ThreadState& t, const Clock& generation);

enum class Order : u8 { Relaxed, Consume, Acquire, Release, AcqRel, SeqCst };
// C++20 atomics. L is the clock of the release sequence that the location's current value belongs to.
void atomic_load(ThreadState& t, const Clock& L, Order order);
void atomic_store(ThreadState& t, Clock& L, Order order); // starts a new sequence: cuts the old one (P0982)
void atomic_rmw(ThreadState& t, Clock& L, Order order);   // continues the sequence
void fence(ThreadState& t, Order order);

} // namespace footrace::fasttrack
