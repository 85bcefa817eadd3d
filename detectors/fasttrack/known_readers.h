// [READ SAME EPOCH] of data that several threads read, by one compare: a set of readers is immutable while somebody has a reference to it, so
// a thread that has found its epoch in a set keeps a reference, and knows every cell with the same word from then on for as long
// as its epoch lasts. Arrays that all threads read have one set, or a few. Sets that belong to one cell change in place and are not kept.
#pragma once

#include "abi/shadow_layout.h"
#include "shadow/cell.h"

namespace footrace::fasttrack {

struct ThreadState;

struct KnownReaders {
  ReadersInLine words;                 // those that hold the thread's epoch
  SetRef kept[kReadersSlots] = {};     // references of the thread, also of earlier epochs
  u64 met[kReadersSlots] = {};         // what was looked up last: the second time it is worth keeping
  u32 used = 0;                        // words that were set in this epoch
  static constexpr u32 kMostUsed = 64; // more than that go round in the few slots and are not worth it
};

// The thread has met the set that the cell's R names for the second time in a row: it is known from now on if it holds the thread's epoch.
FR_NOINLINE void keep_readers(ThreadState& t, Cell* cell, u64 r);
// Another epoch begins.
void forget_readers(ThreadState& t);
// Gives the references back as well: at the thread's end.
void drop_readers(ThreadState& t);

} // namespace footrace::fasttrack
