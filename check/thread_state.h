// ThreadState of FastTrack (PLDI'09, Figure 5), and what a thread remembers of its current epoch. Changed by its own thread only.
// Invariants: epoch == make_epoch(C.owner, C.own); covered[u] == make_epoch(u, C(u)) for every slot u with C(u) > 0, covered[tid] == epoch,
// and covered[0] == kAncientEpoch.
#pragma once

#include "abi/shadow_layout.h"
#include "check/log.h"
#include "check/waiting_bytes.h"
#include "clocks/vector_clock.h"

namespace footrace {

// The access rules of Figure 2, for the per-thread counters.
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

// What happens to the shadow, for the per-thread counters.
#define FOOTRACE_SHADOW_TRANSITIONS(X)                                                                       \
  X(set_made)                                                                                                \
  X(set_shared)                                                                                              \
  X(set_moved)                                                                                               \
  X(set_grown)                                                                                               \
  X(bytes_made)                                                                                              \
  X(bytes_shared)                                                                                            \
  X(bytes_waited)                                                                                            \
  X(block_coarse_step)                                                                                       \
  X(block_refined)                                                                                           \
  X(block_coarsened)
enum class Transition : u8 {
#define X(name) name,
  FOOTRACE_SHADOW_TRANSITIONS(X)
#undef X
};
constexpr u32 kTransitions = u32(Transition::block_coarsened) + 1;

// "The accesses of this word, and my read": one set, or the thread's epoch, for all granules that had the word (check/readers.h).
struct ReadMemo {
  Word before, after;
  Epoch epoch;
  bool
      is_quick; // `before` knows of nothing but reads, and others have had `after`: a step from one to the other looks at neither (check/quick.h)
};

// "This word, and my access to the bytes of the mask": one word for all granules that had it (check/bytes.h).
struct BytesMemo {
  Word before;
  u8 mask;
  bool is_ordered; // all that the word knew of these bytes is ordered before the thread
  Epoch epoch;
  Word after;
};

// How often few bytes of a coarse block were asked for, of late (check/arrays.h).
struct BlockHits {
  u32 block; // number; its low bits, since it is only a guess
  Epoch epoch;
  u32 hits;
};

// Ranges that the thread has checked in its epoch (check/ranges.h).
struct CheckedRange {
  uptr begin;
  u64 size, stride, count; // elements of `size` bytes
  u64 version : 63;        // of ThreadState
  u64 write : 1;
};

// Free places of a pool, of this thread alone.
struct Chunk {
  u32 next = 0, end = 0;
};

struct ThreadState {
  u64 both = 0; // the epoch in both halves, as a cell has it
  Epoch epoch;
  u32 known = 0;   // some sets of readers are known in line
  u32 telling = 0; // odd: between a step's first look and the end of what it tells (check/rules.h)
  Log log;
  InLine* published = nullptr; // where code in line finds the epoch and known sets (abi/shadow_layout.h)
  WaitingBytes waiting;
  Clock C;
  u64 first = 0; // the clock that the thread began with in its slot
  // Standalone fences (C++20 [atomics.fences]).
  Clock release_fence; // F_t: C_t at the last release fence; what relaxed stores publish
  Clock acquire_fence; // A_t: what relaxed loads have read; an acquire fence joins it into C_t
  void (*settle)(ThreadState& t) =
      nullptr; // checks the bytes that wait; called before C or the epoch changes
  // Tells a write that a quick step met only behind its swap (check/quick.h); `before` was R.
  void (*tell_late_write)(ThreadState& t, uptr address, u32 size, Word before) = nullptr;
  InLine own_words; // while nothing is published
  static constexpr u32 kMemos = 64, kBytesMemos = 256, kRanges = 256, kKnownSets = 256;
  u64 known_set[kKnownSets] = {}; // sets that hold the epoch, by index (check/readers.h)
  ReadMemo memo[kMemos] = {};
  BytesMemo bytes_memo[kBytesMemos] = {};
  CheckedRange ranges[kRanges] = {};
  Chunk sets, bytes;
  static constexpr u32 kBlockHits = 512;
  BlockHits block_hits[kBlockHits] = {};
  u64 version =
      1; // another one whenever the epoch is, or some memory is fresh: what was remembered of checks says nothing then
  u64 rule_count[kAccessRules] = {}; // how often each access rule was applied out of line
  u64 transition_count[kTransitions] = {};
  // Must be zero when a ThreadState is made in memory that was none before; initial() clears what was used.
  u32 covered_end;
  // By slot. The upper half is of "slots" of references, and stays zero: none of them is covered.
  alignas(64) u32 covered[2 * kSlots];

  Tid tid() const { return C.owner; }
  void count(Rule x) { ++rule_count[u32(x)]; }
  void count(Transition x) { ++transition_count[u32(x)]; }
};

// e happens before what the thread does now: e precedes-or-equals C_t. Of a reference never; of no epoch always.
FR_INLINE bool covers(const ThreadState& t, Word e) { return t.covered[e.raw >> kTidShift] >= e.raw; }
// The same, but not of zero, which must ask its block's header.
FR_INLINE bool covers_own(const ThreadState& t, Word e) { return t.covered[e.raw >> kTidShift] > e.raw - 1; }

FR_INLINE InLine& in_line(ThreadState& t) { return t.published ? *t.published : t.own_words; }

// The entry can be written without a call: there is room, and the frame has its place.
FR_INLINE bool can_log_at_once(const ThreadState& t, const Frame* top) {
  return t.log.next < t.log.end && top->era == t.log.era;
}
// Whether the frame has its place, if need be by one more entry: mostly callers and locks are known, and only the epoch has changed.
FR_INLINE bool has_place_at_once(ThreadState& t, Frame* top) {
  if (FR_LIKELY(top->era == t.log.era)) return true;
  if (!top->node || t.log.locks == kUnknownLocks || t.log.next >= t.log.end) return false;
  log_place_of(t.log, t.epoch, top, {top->node, t.log.locks});
  return true;
}
// The same of a frame that is new, or where locks have changed: callers and locks are looked for. False: the log is full.
FR_INLINE bool has_place(ThreadState& t, Frame* top) {
  if (FR_LIKELY(has_place_at_once(t, top))) return true;
  if (FR_UNLIKELY(t.log.next >= t.log.end)) return false;
  log_place(t, top);
  return true;
}
FR_INLINE void log_at_once(ThreadState& t, const Frame* top, uptr address, u64 size, AccessKind kind,
                           Site site) {
  LogEntry* entry = t.log.next;
  // The upper halfwords are stored over the lower words: fewer instructions and registers than putting them together.
  const u16 what = u16(log_bits(size, kind) >> 48), place = u16(top->place);
  u64 words[2] = {address, site};
  __builtin_memcpy(entry, words, sizeof words);
  __builtin_memcpy(reinterpret_cast<char*>(&entry->what) + 6, &what, sizeof what);
  __builtin_memcpy(reinterpret_cast<char*>(&entry->where) + 6, &place, sizeof place);
  __atomic_store_n(&t.log.next, entry + 1, __ATOMIC_RELEASE);
}
FR_COLD FR_KEEPS_REGISTERS void first_era_again(ThreadState& t);
// Its epoch, its locks or its stack have changed: frames must find their places again.
FR_INLINE void log_begins_era(ThreadState& t) {
  if (FR_UNLIKELY(!++t.log.era)) first_era_again(t);
}

// The same for bytes that wait: an access behind the last one to the granule, from the same place, makes that entry longer.
FR_INLINE void log_bytes_at_once(ThreadState& t, const Frame* top, WaitingGranule& g, uptr address, u64 size,
                                 AccessKind kind, Site site) {
  const u64 where = site | u64(top->place) << 48;
  if (g.era == t.log.era && g.entry->where == where &&
      (g.entry->what & kLogAddress) + (g.entry->what >> 48 & kPlaceSize) == address &&
      g.entry->what >> 62 == u64(kind)) {
    __atomic_store_n(&g.entry->what, g.entry->what + (size << 48), __ATOMIC_RELAXED);
    return;
  }
  g.era = t.log.era, g.entry = t.log.next;
  log_at_once(t, top, address, size, kind, site);
}
// Appends an access to the thread's log, before the shadow changes: whoever meets the epoch there must find the entry. `top` is the frame that makes
// the access.
FR_INLINE void log_access(ThreadState& t, Frame* top, uptr address, u64 size, AccessKind kind, Site site) {
  if (FR_UNLIKELY(t.log.next >= t.log.end)) log_turn(t);
  if (FR_UNLIKELY(!has_place_at_once(t, top))) log_place(t, top);
  LogEntry* entry = t.log.next;
  entry->what = address | log_bits(size < kLongSize ? size : kLongSize, kind);
  entry->where = site | u64(top->place) << 48;
  if (FR_UNLIKELY(size >= kLongSize)) *++entry = {size, 0};
  __atomic_store_n(&t.log.next, entry + 1, __ATOMIC_RELEASE);
}

} // namespace footrace
