// Vector clocks as persistent trees, and Clock: what a thread (C_t) or a lock (L_m) holds.
//
// Problem: thousands of threads, and releases that copy a whole vector. A VectorClock is a 16-way radix tree
// of immutable-once-shared, reference-counted nodes, just high enough for its largest tid: copying is O(1), a
// join skips subtrees that both sides share, and an update copies only the nodes on its path that somebody
// else also holds.
//
// A Clock is a tree plus the entry of its owner: Clock(u) = u == owner ? own : tree(u). A thread's own tick
// therefore changes no tree. `since` is the owner's clock when its tree last grew: whoever has seen the owner
// at `since` or later has seen the whole tree, so an acquire that brings nothing but the owner's newer clock
// is O(1). Invariant: `exact` clocks are copies of one thread's C_t made at a release; joins of several
// clocks are not exact. Concurrency: nodes are shared between threads and only changed while their reference
// count is one; a Clock itself belongs to a thread or is protected by its owner's lock.
#pragma once

#include "clocks/epoch.h"

namespace footrace {

constexpr u32 kClockFanoutBits = 4, kClockFanout = 1u << kClockFanoutBits;

struct ClockNode {
  u32 refs;
  u32 reserved;
  union {
    u64 clock[kClockFanout];        // in a leaf
    ClockNode* child[kClockFanout]; // elsewhere; null: all zero
    ClockNode* next_free;
  };
};

// The entries of a clock by slot, as epochs: what a thread's own clock covers is asked on every step (covers, check/thread_state.h).
struct ClockMirror {
  u32* epochs;
  u32 end; // all slots that were ever written are below
  void write(Tid tid, u64 clock) {
    epochs[tid] = make_epoch(tid, clock).raw;
    if (tid >= end) end = tid + 1;
  }
};

class VectorClock {
public:
  constexpr VectorClock() = default;
  VectorClock(const VectorClock& other);
  VectorClock(VectorClock&& other) : root_(other.root_), levels_(other.levels_) {
    other.root_ = nullptr, other.levels_ = 0;
  }
  VectorClock& operator=(const VectorClock& other);
  VectorClock& operator=(VectorClock&& other);
  ~VectorClock() { clear(); }

  u64 get(Tid tid) const {
    if (FR_LIKELY(levels_ == 1)) return tid < kClockFanout ? root_->clock[tid] : 0;
    return get_from_tree(tid);
  }
  // Raises the entry to at least `clock`; true if it changed.
  bool raise(Tid tid, u64 clock);
  // this := this join other; true if it changed. What grew is written to the mirror as well.
  bool join(const VectorClock& other, ClockMirror* mirror = nullptr);
  bool less_equal(const VectorClock& other) const;
  bool same_tree(const VectorClock& other) const { return root_ == other.root_ && levels_ == other.levels_; }
  bool empty() const { return !root_; }
  void clear();
  // Calls fn(tid, clock) for every non-zero entry, in order of tid.
  template <class Fn> void for_each(Fn fn) const {
    visit(root_, levels_, 0, [](void* f, Tid t, u64 c) { (*static_cast<Fn*>(f))(t, c); }, &fn);
  }

private:
  friend class ClockRewriter;
  u64 get_from_tree(Tid tid) const;
  static void visit(const ClockNode* node, u32 levels, Tid base, void (*fn)(void*, Tid, u64), void* argument);
  void grow_to(Tid tid);
  ClockNode* root_ = nullptr;
  u32 levels_ = 0; // 0: empty; 1: a leaf for tids 0..15; 2: tids 0..255; ...
};

class Clock {
public:
  VectorClock tree;
  Tid owner = 0;
  bool exact = false;
  u64 own = 0;   // 0: nobody's entry
  u64 since = 0; // owner's clock when `tree` last grew; meaningful when exact

  u64 get(Tid tid) const { return tid == owner && own ? max(own, tree_get(tid)) : tree_get(tid); }
  bool covers(Epoch e) const {
    return clock_of(e) <= get(tid_of(e));
  } // e precedes-or-equals this, O(1) in practice
  // this := this join other. `this` may be a thread's C_t or a lock's L. True if anything changed.
  bool join(const Clock& other, ClockMirror* mirror = nullptr);
  bool empty() const { return !own && tree.empty(); }
  void clear() { *this = Clock(); }

private:
  u64 tree_get(Tid tid) const { return tree.get(tid); }
};

// Nodes in use, for tests and --stats.
u64 clock_nodes_in_use();
// The child of fork: the pool's locks must be free. Called by the runtime.
void clock_pool_lock_all();
void clock_pool_unlock_all();

} // namespace footrace
