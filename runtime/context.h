// Where a thread is: its shadow call stack, the locks it holds, and the history of its recent accesses.
//
// Instrumented functions push their return address (enter) and restore the previous top on the way out
// (leave), so a longjmp or an exception cannot leave the stack out of step for longer than one frame. A stack
// is turned into a 32-bit context (a node of the interned calling-context tree) only when something is
// recorded; frames remember the node they got, so the work is proportional to the frames that are new.
#pragma once

#include "clocks/epoch.h"
#include "shadow/site_id.h"

namespace footrace {

struct Thread;

using ContextId = u32;                  // 0: empty or unknown
using LockSetId = u32;                  // 0: no locks
constexpr LockSetId kLostLockSet = ~0u; // the table of lock sets was full: nobody knows

struct Frame {
  uptr pc;        // return address of the instrumented function
  ContextId node; // interned, or 0
  u32 call_out;   // 1: not a frame of its own, but where the frame below has called a library
};

enum class LockMode : u8 { Exclusive, Shared };

struct HeldLock {
  uptr address;
  ContextId taken;
  LockMode mode;
  u32 depth;     // recursive acquisitions
  LockSetId set; // interned set of the locks up to and including this one, or 0
};

// Accesses that changed the shadow: those of one site, stack and epoch that lie side by side share an entry.
struct HistoryEntry {
  uptr address;
  u64 clock; // of the thread's epoch
  SiteId site;
  ContextId context;
  LockSetId locks;
  u32 size; // what is beyond 4 GB is not remembered
};
static_assert(sizeof(HistoryEntry) == 32);

// The latest entry of a site, as far as it takes to see that an access has no part in it. A guess: the entry tells.
struct OpenEntry {
  uptr begin;
  u64 size;
  u64 index; // in the ring
};

struct ContextMemo {
  uptr pc;
  ContextId caller, node;
};

struct LockSetMemo {
  uptr address;
  LockSetId parent, set;
  ContextId taken;
  LockMode mode;
};

struct Context {
  Frame* base = nullptr;
  Frame* top = nullptr; // next free
  Frame* limit = nullptr;
  uptr area = 0; // the mapping that held and the thread's own frames are in
  u64 area_bytes = 0;
  HeldLock* held = nullptr; // moves elsewhere when it grows
  u32 held_count = 0, held_capacity = 0;
  HistoryEntry* ring = nullptr;
  u64 ring_size = 0, ring_next = 0; // entries; next counts all ever written
  static constexpr u32 kSites = 32;
  OpenEntry open[kSites] = {}; // by site
  // Contexts made lately.
  static constexpr u32 kMemos = 64;
  ContextMemo memo[kMemos] = {};
  // Lock sets interned lately.
  static constexpr u32 kLockSetMemos = 64;
  LockSetMemo lock_set_memo[kLockSetMemos] = {};
};

// Sets up and tears down a Context. `stack_bytes` bounds the depth of the shadow stack. From start to finish
// the history is found by `tid`; afterwards that of the most recently finished threads is kept (history.cpp
// says how much).
void context_start(Context& c, u64 stack_bytes, Tid tid);
void context_finish(Context& c, Tid tid, u64 first_clock, u64 last_clock);
// The thread goes on under another tid (its clock was used up).
void context_new_tid(Context& c, Tid old_tid, u64 first_clock, u64 last_clock, Tid new_tid);

ContextId current_context(Thread* t);     // the call stack
ContextId context_of_callers(Thread* t);  // without the place of the call of a library that we are in
ContextId context_at(Thread* t, uptr pc); // the call stack with `pc` as innermost frame
ContextId context_below(ContextId caller, uptr pc);
// As context_at, for rare events: if `pc` lies in code that is not instrumented, its callers are found by
// unwinding.
ContextId context_through_library(Thread* t, uptr pc);
u32 context_frames(ContextId id, uptr* out, u32 capacity); // innermost first; returns the count

void lock_taken(Thread* t, uptr address, LockMode mode, uptr pc);
void lock_dropped(Thread* t, uptr address);
LockSetId current_lock_set(Thread* t);
u32 lock_set_members(LockSetId id, HeldLock* out,
                     u32 capacity); // the one taken last first; returns the count

// Adding is in runtime/history_add.h.
// The entry of the access that `previous` and `site` name at `address`; false if it has aged out.
bool history_find(Epoch previous, uptr address, SiteId site, HistoryEntry* out);

} // namespace footrace
