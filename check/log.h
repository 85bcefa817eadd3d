// Where accesses were made: each step that changes the shadow appends one entry to its thread's log, and a report finds there the place, the
// callers and the locks of the previous access, whose epoch the shadow names.
//
// An entry of 16 bytes holds address, size, kind and site of an access, and which *place* it was made at: a record in the same segment of the log with
// the calling context, the locks and the epoch. A frame remembers its place for as long as none of these can have changed (`era`), so a step mostly
// writes one entry. The log is two segments, used in turn; before a segment is used again it is kept apart, and of that what the shadow still names for as
// long as there is room (check/kept_accesses.h), so a write at start-up has its line an hour later.
// Invariant: the epochs of one log are of its thread's present slot, and never decrease from one entry to the next.
// Concurrency: a thread alone writes its log; whoever reads it meanwhile holds a lock that turning and ending take (log.cpp), so what the reader has met
// as written stays.
#pragma once

#include "check/words.h"

namespace footrace {

struct ThreadState;

using Site =
    u64; // a SiteRecord's address, or kPcSite and a number of the runtime's (runtime/site_table.h); 48 bits; 0: unknown
constexpr Site kPcSite = 1ull << 47;

using ContextId = u32; // of the calling-context tree (runtime/context.h); 0: empty or unknown
using LockSetId = u32; // 0: no locks
constexpr LockSetId kUnknownLocks = ~0u - 1;

// Of the shadow call stack.
struct Frame {
  u64 pc : 47;      // return address of the instrumented function
  u64 call_out : 1; // not a frame of its own, but where the frame below has called a library
  u64 place : 16;   // its place in the log, in this era
  ContextId node;   // interned, or 0
  u32 era;          // 0: it has no place
};
static_assert(sizeof(Frame) == 16);
// A frame whose place is not known yet: two stores.
FR_INLINE void begin_frame(Frame* frame, uptr pc, bool is_call_out) {
  const u64 words[2] = {pc | u64(is_call_out) << 47, 0};
  __builtin_memcpy(frame, words, sizeof *frame);
}

struct LogEntry {
  u64 what; // address, 48 bits; size, 14 bits; kind, 2 bits.  A place: context, 48 bits; kPlaceSize.  A length: all of it
  u64 where; // site, 48 bits; index of its place in the segment, 16 bits.  A place: locks, 32 bits; epoch, 32 bits
};
constexpr u64 kLogAddress = (1ull << 48) - 1, kLogSite = kLogAddress;
constexpr u64 kLongSize = (1 << 14) - 2,
              kPlaceSize = (1 << 14) - 1; // the size of a long access is the entry behind, a length
constexpr u32 kMostInSegment = 1 << 15;   // an index fits in 16 bits
constexpr u32 kLogSlack = 4;              // a place, an access and its length always fit behind `end`
constexpr u64 log_bits(u64 size, AccessKind kind) { return (size | u64(kind) << 14) << 48; }

struct PlaceNow {
  ContextId context;
  LockSetId locks;
};

struct Log {
  LogEntry* next = nullptr;
  LogEntry* end = nullptr;         // of the segment, less kLogSlack: null until the first entry
  u32 era = 1;                     // another one whenever the epoch, the locks or the segment change; never 0
  u32 size = 0;                    // entries of a segment
  LogEntry* ticked = nullptr;      // `next` when the epoch began; null: the log has turned since
  LogEntry* segments = nullptr;    // two
  LogEntry* older_end = nullptr;   // of what the other segment holds; null: nothing
  u64 bytes = 0;                   // of the mapping
  LockSetId locks = kUnknownLocks; // held now, as the last place had them; unknown since they have changed
  u32 number = 0;                  // among the live logs
  u32 not_kept = 0;                // so many segments are overwritten without looking (kept_accesses.h)
  // Of the owner, before the first entry: where the thread is; and that all its frames have the era 0 from now on.
  PlaceNow (*place_now)(ThreadState&, Frame* top) = nullptr;
  void (*forget_places)(ThreadState&) = nullptr;
  void (*take)(ThreadState&) =
      nullptr; // whoever records looks at the newer segment before the thread leaves it
};

FR_INLINE LogEntry* newer_begin(const Log& log) { return log.end + kLogSlack - log.size; }
// The frame's place, as an entry; there is room (kLogSlack).
FR_INLINE void log_place_of(Log& log, Epoch epoch, Frame* frame, PlaceNow now) {
  LogEntry* entry = log.next;
  entry->what = now.context | kPlaceSize << 48;
  entry->where = now.locks | u64(epoch.raw) << 32;
  __atomic_store_n(&log.next, entry + 1, __ATOMIC_RELEASE);
  frame->place = u64(entry - newer_begin(log));
  frame->era = log.era;
}

FR_COLD void log_turn(ThreadState& t);                  // to the other segment
FR_NOINLINE void log_place(ThreadState& t, Frame* top); // the place of the innermost frame
FR_COLD void log_eras_wrap(ThreadState& t);
// Frames made their places in another era from now on: log_begins_era (check/thread_state.h).

// How much is remembered. `history_size`: the latest entries of each thread, and kKeptPerEntry times as many that are older and that the shadow still
// names, of all threads together; 0: nothing is found. Above `memory_limit_mb` of resident memory, much less (0: no limit). Before the first entry.
void limit_logs(i64 history_size, i64 memory_limit_mb);
constexpr u64 kKeptPerEntry = 256;

// The log of a live thread is found by its slot, between these two. What a thread that ends has done is found as long as the shadow names it.
void log_start(ThreadState& t);
void log_finish(ThreadState& t);
// The thread goes on under another slot: called before.
void log_new_tid(ThreadState& t);

struct LoggedAccess {
  uptr address;
  u64 size;
  AccessKind kind;
  Site site;
  ContextId context;
  LockSetId locks;
};
// The latest access of the epoch to each of up to 8 bytes: of this kind; if there is none, of one that stands for it.
struct LoggedAccesses {
  static constexpr u32 kMostBytes = 8;
  LoggedAccess list[2 * kMostBytes];
  u32 count = 0;
  u8 of_byte[kMostBytes] = {}; // index + 1; 0: it has aged out
  u64 looked_at = 0;           // entries: what it has cost
  const LoggedAccess* at(u32 byte) const { return of_byte[byte] ? &list[of_byte[byte] - 1] : nullptr; }
};
void log_find(Epoch epoch, uptr begin, u32 size, AccessKind kind, LoggedAccesses& out);
bool log_find(Epoch epoch, uptr byte, AccessKind kind, LoggedAccess* out);

// Somebody has met an access and is going to look for it: it is kept, although the shadow does not name it any more. Returns a ticket to end this; 0:
// there was no room.
u32 log_seek(Epoch epoch, uptr begin, u32 size);
void log_seek_ends(u32 ticket);
void log_seeks_end(); // of all, in the child of fork

// While the world is stopped: every epoch that is logged may be changed, for one of the same order and, in a live thread's log, of that thread's slot.
void visit_logged_epochs(void (*fn)(void*, Epoch&), void* argument);
template <class Fn> void for_each_logged_epoch(Fn fn) {
  visit_logged_epochs([](void* f, Epoch& e) { (*static_cast<Fn*>(f))(e); }, &fn);
}
// At any time: every site that is logged may be changed. Of sites that no thread is using any more.
void visit_logged_sites(void (*fn)(void*, Site&), void* argument);
template <class Fn> void for_each_logged_site(Fn fn) {
  visit_logged_sites([](void* f, Site& s) { (*static_cast<Fn*>(f))(s); }, &fn);
}

// For fork.
void log_lock_all();
void log_unlock_all();

// For tests and --stats.
struct LogCounts {
  u64 turns, kept, swept, dropped; // entries kept in all; found no longer named; dropped for want of room
  u64 kept_now;
};
LogCounts log_counts();

} // namespace footrace
