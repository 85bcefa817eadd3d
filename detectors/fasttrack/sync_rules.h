// Synchronisation rules of FastTrack (PLDI'09, Figure 3 and section 4), plus C++20 atomics.
// Each function is one rule and carries the paper's name. L is a lock's or an atomic's clock; the caller
// holds whatever protects L. Release-like rules tick the thread: what follows is in a new epoch.
#pragma once

#include "clocks/vector_clock.h"
#include "detectors/fasttrack/footprint.h"
#include "detectors/fasttrack/known_readers.h"

namespace footrace::fasttrack {

// The access rules of Figure 2 (detectors/fasttrack/access.h), for the per-thread counters.
#define FOOTRACE_ACCESS_RULES(X)                                                                             \
  X(read_same_epoch)                                                                                         \
  X(read_exclusive)                                                                                          \
  X(read_share)                                                                                              \
  X(read_shared)                                                                                             \
  X(write_same_epoch)                                                                                        \
  X(write_exclusive)                                                                                         \
  X(write_shared)                                                                                            \
  X(atomic_read)                                                                                             \
  X(atomic_write)
enum class Rule : u8 {
#define X(name) name,
  FOOTRACE_ACCESS_RULES(X)
#undef X
};
constexpr u32 kAccessRules = u32(Rule::atomic_write) + 1;

// What happens to compressed blocks (shadow/block.h) and to sets of readers (shadow/open_set.h), for the per-thread counters.
#define FOOTRACE_SHADOW_TRANSITIONS(X)                                                                       \
  X(block_refined)                                                                                           \
  X(block_coarse_step)                                                                                       \
  X(block_compressed)                                                                                        \
  X(block_left_fine)                                                                                         \
  X(block_parted)                                                                                            \
  X(block_parts_step)                                                                                        \
  X(block_parts_joined)                                                                                      \
  X(block_parts_refined)                                                                                     \
  X(block_cells_joined)                                                                                      \
  X(block_part_evicted)                                                                                      \
  X(readers_opened)                                                                                          \
  X(open_reader_moved)
enum class Transition : u8 {
#define X(name) name,
  FOOTRACE_SHADOW_TRANSITIONS(X)
#undef X
};
constexpr u32 kTransitions = u32(Transition::open_reader_moved) + 1;

// ThreadState of Figure 5. Invariant: epoch == make_epoch(C.owner, C.own).
struct ThreadState {
  Clock C;
  Epoch epoch = 0;
  KnownReaders readers;
  InLine* published = nullptr; // where code in line finds the epoch and the readers (abi/shadow_layout.h)
  // Standalone fences (C++20 [atomics.fences]).
  Clock release_fence;               // F_t: C_t at the last release fence; what relaxed stores publish
  Clock acquire_fence;               // A_t: what relaxed loads have read; an acquire fence joins it into C_t
  u64 rule_count[kAccessRules] = {}; // how often each access rule was applied, fast paths excluded
  u64 transition_count[kTransitions] = {};
  // The newest epochs known to be covered by C, by tid. Clocks only grow, so they need no upkeep.
  static constexpr u32 kCovered = 8;
  Epoch covered[kCovered] = {};
  Footprint footprint;
  void (*settle_all)(ThreadState& t) =
      nullptr; // checks what waits in the footprint; called before C or the epoch changes

  Tid tid() const { return C.owner; }
  void count(Transition x) { ++transition_count[u32(x)]; }
};

constexpr bool of_same_thread(Epoch a, Epoch b) { return !((a ^ b) >> kTidShift); }
FR_COLD bool covers_by_tree(ThreadState& t, Epoch e);
// Enough to know that the thread covers e. Never true of a word with a tag.
FR_INLINE bool covers_as_known(const ThreadState& t, Epoch e) {
  Epoch known = t.covered[tid_of(e) % ThreadState::kCovered];
  return of_same_thread(e, t.epoch) || (e <= known && of_same_thread(e, known));
}
// e happens before what the thread does now: e precedes-or-equals C_t.
FR_INLINE bool covers(ThreadState& t, Epoch e) {
  return FR_LIKELY(covers_as_known(t, e)) || covers_by_tree(t, e);
}

// sigma_0: C_t = inc_t(bottom). `start` is 1, or for a reused tid one more than that tid's last clock.
void initial(ThreadState& t, Tid tid, u64 start);
// Makes the epoch visible to the thread's code, or with null invisible again.
void publish_epoch(ThreadState& t, InLine* where);
void tick(ThreadState& t); // C_t := inc_t(C_t)

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
