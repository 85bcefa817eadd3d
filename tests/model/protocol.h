// Scenarios for the explorer: a few accesses per thread to a few cells, and what must be true of every interleaving.
//   During a run: the rules of who may store what when (protocol.cpp, check_store and check_swap); an own set is named by one granule or cell; the
//   cells of a coarse block are zero; whoever is ordered after R is ordered after W ("look at R only").
//   After it: a byte with a conflicting pair was told by at least one of the two, a byte without one by nobody, and whatever was told is a conflict; a
//   last read and a last write that are ordered after nothing meet every access that none stands for, so no update was lost; forgetting it all leaves
//   nothing behind.
#pragma once

#include "check/step.h"
#include "tests/model/explorer.h"

namespace footrace::model {

struct Access {
  u32 offset, size;
  AccessKind kind;
  // Not an access: the memory begins a new life, with nothing known of it, or with what is ordered before (check/fresh_memory.h).
  enum class Fresh : u8 { No, All, Unordered } fresh = Fresh::No;
};
constexpr Access forget(u32 offset, u32 size) {
  return {offset, size, AccessKind::Write, Access::Fresh::All};
}
constexpr Access allocate(u32 offset, u32 size) {
  return {offset, size, AccessKind::Write, Access::Fresh::Unordered};
}
std::string to_text(const Access& a);

using Accesses = std::vector<Access>;

struct Order {
  u32 thread, ended;         // `thread` begins when `ended` has ended, and is ordered after it
  bool is_by_chance = false; // it is not ordered after it
};

// `before` is ordered before all threads; each of `earlier` is made by a thread of its own, all ordered before the threads of the run but
// not with one another. The threads of the run are not ordered, except as `order` says; each has made the accesses `first` in an earlier epoch of
// its own, and (`has_same_epoch`) `same_epoch` in the epoch of the run. What several threads touch in the run nobody forgets, but with `uses_freed`.
struct Plan {
  Accesses before;
  Accesses earlier;
  std::vector<Accesses> threads;
  Accesses first = {};
  Accesses same_epoch = {};
  u32 has_same_epoch = ~0u; // which threads, by bit
  bool has_blocks = false;  // false: all blocks are fine from the beginning
  bool in_line =
      false; // accesses are made only if the test in line says that they are needed, and stop behind each conflict
  bool uses_freed = false; // threads access what others forget: nothing is expected but that it ends
  // Plain accesses begin with the steps that need no call. What waits by that is checked with the access, or, if it `waits`, when its thread ends.
  bool is_quick = false, waits = false;
  u32 rounds = 1; // of `first`, each in an epoch of its own
  std::vector<Order> order = {};
  std::vector<Order> first_order =
      {}; // `thread` is ordered after what `ended` did first, and not after its run
};
std::string to_text(const Plan& plan);

Outcome check(const Plan& plan, u64 most_runs = 2'000'000);

} // namespace footrace::model
