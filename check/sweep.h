// The pools of sets and of words of bytes, and how what no word of the shadow names any more is found.
//
// Problem: who replaces a set or the words of bytes cannot free them: another thread may still look at it, and others may name it (check/readers.h). So pools only grow, and
// every now and then a sweep, while no thread is inside a step, marks what is named: from the cells and headers of all touched memory, through
// the words of bytes to their sets. All else is free, and is handed out again in runs of lines.
//
// Invariant: an index is marked as used from when it is handed out until a sweep finds nobody who names it. Who may name one:
//   cells, headers, words of bytes    looked at
//   in line known readers      looked at: code in line may have loaded one and not yet compared, so what it knows must not change its meaning
//   memos and chunks of the threads, tables of what is common    dropped
// A sweep visits every word that names an epoch, once.
// When: a pool has grown, since the last sweep, by as much as lived then, or by a share of the shadow that the sweep has to look through; so sweeps cost a bounded
// time per set, and the pools are at most twice as large as they need to be.
// Concurrency: pools are behind a lock. Between the construction of a Sweep and its end the world stands still.
#pragma once

#include "check/thread_state.h"

namespace footrace {

struct ReaderSet;

// Used before or not, one behind the other: at least `lines`.
Chunk take_set_lines(u32 lines);
Chunk take_four_words();

struct alignas(64) SweepRequest { // every step looks at it: nothing that changes is in its line of the cache
  u32 is_due;
};
extern SweepRequest g_sweep;
FR_INLINE bool sweep_is_due() { return __atomic_load_n(&g_sweep.is_due, __ATOMIC_RELAXED); }
// Tests choose how many bytes a pool grows by, at least, before a sweep is due.
void set_sweep_threshold(u64 bytes);

// Every epoch that a word names may be changed (check/renumbering.h).
struct EpochVisitor {
  Epoch (*change)(void* self, Epoch e);
  void* self;
};

// For every thread: visit; for all memory of the program: visit_memory; then finish.
class Sweep {
public:
  explicit Sweep(const EpochVisitor* epochs = nullptr);
  void visit(ThreadState& t);
  // Of the program; of its shadow only what was ever touched is looked at.
  void visit_memory(uptr begin, uptr end);
  void finish();

private:
  void visit_cells(uptr from, uptr to);
  void visit_headers(uptr from, uptr to);
  void visit_words(u32* word, u32 count);
  void mark(Word reference);
  void visit_set(ReaderSet& set);
  Word changed(Word epoch);
  const EpochVisitor* const epochs_;
  Word last_; // reference: neighbours mostly hold the same
  Word last_epoch_, last_changed_;
  u64 looked_at_ = 0; // bytes of shadow
};

} // namespace footrace
