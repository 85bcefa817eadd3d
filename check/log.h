// Where accesses were made: each step that changes the shadow appends one entry to its thread's log, and a report finds there the place, the
// callers and the locks of the previous access, whose epoch the shadow names.
//
// An entry of 16 bytes holds address, size, kind and site of an access, and which *place* it was made at: a record in the same segment of the log with
// the calling context, the locks and the epoch. A frame remembers its place for as long as none of these can have changed (`era`), so a step mostly
// writes one entry. The log is two segments, used in turn; before a segment is used again, what the shadow still names is kept apart (log.cpp), so a
// write at start-up has its line an hour later.
// Concurrency: a thread alone writes its log; who reports reads it meanwhile (log_find).
#pragma once

#include "check/words.h"

namespace footrace {

struct ThreadState;

using Site = u64; // a SiteRecord's address, or kPcSite and a number of the runtime's (runtime/site_table.h); 48 bits
constexpr Site kPcSite = 1ull << 47;

using ContextId = u32; // of the calling-context tree (runtime/context.h); 0: empty or unknown
using LockSetId = u32; // 0: no locks

// Of the shadow call stack.
struct Frame {
  u64 pc : 47; // return address of the instrumented function
  u64 call_out : 1; // not a frame of its own, but where the frame below has called a library
  u64 place : 16;   // its place in the log, in this era
  ContextId node;   // interned, or 0
  u32 era;
};
static_assert(sizeof(Frame) == 16);
// A frame whose place is not known yet: two stores.
FR_INLINE void begin_frame(Frame* frame, uptr pc, bool is_call_out) {
  const u64 words[2] = {pc | u64(is_call_out) << 47, 0};
  __builtin_memcpy(frame, words, sizeof *frame);
}

struct LogEntry {
  u64 what;  // address, 48 bits; size, 14 bits; kind, 2 bits.  A place: context, 48 bits; kPlaceSize
  u64 where; // site, 48 bits; index of its place in the segment, 16 bits.  A place: locks, 32 bits; epoch, 32 bits
};
constexpr u64 kLongSize = (1 << 14) - 2, kPlaceSize = (1 << 14) - 1; // the size of a long access is the entry behind
constexpr u32 kLogSegment = 1 << 15; // entries
static_assert(kLogSegment <= 1 << 16);
constexpr u64 log_bits(u64 size, AccessKind kind) { return (size | u64(kind) << 14) << 48; }

struct PlaceNow {
  ContextId context;
  LockSetId locks;
};

struct Log {
  LogEntry* next = nullptr;
  LogEntry* end = nullptr; // of the segment, less kLogSlack: null until the first entry
  u32 era = 1;             // another one whenever the epoch, the locks or the segment change
  LogEntry* ticked = nullptr;   // `next` when the epoch began
  LogEntry* segments = nullptr; // 2 * kLogSegment
  PlaceNow (*place_now)(ThreadState&, Frame*) = nullptr;
};
constexpr u32 kLogSlack = 4; // a place, an access and its length always fit behind `end`

FR_COLD void log_turn(ThreadState& t);             // to the other segment
FR_COLD void log_place(ThreadState& t, Frame* top); // the place of the innermost frame
// Frames made their places in another era from now on.
void log_begins_era(ThreadState& t);

} // namespace footrace
