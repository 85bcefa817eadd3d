// Where a thread is: its shadow call stack and the locks it holds.
//
// Instrumented functions push their return address (enter) and restore the previous top on the way out
// (leave), so a longjmp or an exception cannot leave the stack out of step for longer than one frame. A stack
// is turned into a 32-bit context (a node of the interned calling-context tree) only when something is
// recorded; frames remember the node they got, so the work is proportional to the frames that are new.
//
// Invariant: below the outermost frame there is one that stands for a thread outside of all of them, so the frame at top - 1
// always is: that is where the log finds its place (check/log.h).
#pragma once

#include "check/log.h"

namespace footrace {

struct Thread;

constexpr LockSetId kLostLockSet = ~0u; // the table of lock sets was full: nobody knows

enum class LockMode : u8 { Exclusive, Shared };

struct HeldLock {
  uptr address;
  ContextId taken;
  LockMode mode;
  u8 memo;       // in Context::lock_set_memo
  u32 depth;     // recursive acquisitions
  LockSetId set; // interned set of the locks up to and including this one, or 0
};

struct ContextMemo {
  uptr pc;
  ContextId caller, node;
};

// A lock that was taken lately: where, and the set that it made of another one.
struct LockSetMemo {
  uptr address;
  u64 pc : 63;
  u64 shared : 1;
  ContextId caller, taken;
  LockSetId parent, set; // set 0: nobody has asked
  LockMode mode() const { return LockMode(shared); }
};
static_assert(u32(LockMode::Shared) == 1);

struct Context {
  Context() = default;
  Context(const Context&) = delete; // it may point into itself
  Frame outside = {};               // below the outermost frame, while there is no memory for frames
  Frame* base = &outside + 1;
  Frame* top = base; // next free
  Frame* limit = base;
  uptr area = 0; // the mapping that held and the thread's own frames are in
  u64 area_bytes = 0;
  HeldLock* held = nullptr; // moves elsewhere when it grows
  u32 held_count = 0, held_capacity = 0;
  // Contexts made lately.
  static constexpr u32 kMemos = 512;
  ContextMemo memo[kMemos] = {};
  // Lock sets interned lately.
  static constexpr u32 kLockSetMemos = 256;
  LockSetMemo lock_set_memo[kLockSetMemos] = {};
};

// Sets up and tears down the context and the log of a thread that has its tid. `stack_bytes` bounds the depth of the shadow stack. From start to
// finish its accesses are found in its log, afterwards as long as the shadow names them.
void context_start(Thread* t, u64 stack_bytes);
void context_finish(Thread* t);
// The places of its frames are of other times, or in another thread's log: of a fiber that the thread takes up.
void forget_places(Context& c);

ContextId current_context(Thread* t);     // the call stack
ContextId context_of_callers(Thread* t);  // without the place of the call of a library that we are in
ContextId context_at(Thread* t, uptr pc); // the call stack with `pc` as innermost frame
constexpr u64 kHashFactor = 0x9e37'79b9'7f4a'7c15; // the top bits of a product have something of all bits
static_assert(Context::kLockSetMemos == 1 << 8 && Context::kMemos == 1 << 9);
// Where a lock is taken: a thread takes the same ones in the same places again.
FR_INLINE LockSetMemo& lock_set_memo(Context& c, uptr address, uptr pc) {
  return c.lock_set_memo[(address ^ u64(pc) << 20) * kHashFactor >> 56];
}
FR_INLINE HeldLock* find_held(Context& c, uptr address) {
  for (u32 i = c.held_count; i-- > 0;)
    if (c.held[i].address == address) return &c.held[i];
  return nullptr;
}

// The frame that has called a library function, if its context is known. (The frame that stands for a thread outside of all others is the only one
// whose node is 0 for good.)
FR_INLINE const Frame* known_caller(const Context& c) {
  if (FR_UNLIKELY(c.top < c.base || c.top > c.limit)) return nullptr; // a fiber's
  const Frame* caller = c.top - 1;
  if (caller->call_out) --caller;
  return caller->node || caller < c.base ? caller : nullptr;
}
// The same without a call, if such a one was asked for lately; else 0.
FR_INLINE ContextMemo& context_memo(Context& c, ContextId caller, uptr pc) {
  return c.memo[(pc ^ u64(caller) << 32) * kHashFactor >> 55];
}
FR_INLINE ContextId known_context_at(Context& c, uptr pc) {
  const Frame* caller = known_caller(c);
  if (FR_UNLIKELY(!caller)) return 0;
  const ContextMemo& memo = context_memo(c, caller->node, pc);
  return memo.pc == pc && memo.caller == caller->node ? memo.node : 0;
}
ContextId context_below(ContextId caller, uptr pc);
// As context_at, for rare events: if `pc` lies in code that is not instrumented, its callers are found by
// unwinding.
ContextId context_through_library(Thread* t, uptr pc);
u32 context_frames(ContextId id, uptr* out, u32 capacity); // innermost first; returns the count
// All nodes are numbered from 1 on, callers before what they call.
u32 context_count();
uptr context_node(ContextId id, ContextId* caller); // the return address

// Inside a critical section, or where no signal handler of the program can come.
void lock_taken(Thread* t, uptr address, LockMode mode, uptr pc);
void lock_dropped(Thread* t, uptr address);
LockSetId current_lock_set(Thread* t);
u32 lock_set_members(LockSetId id, HeldLock* out,
                     u32 capacity); // the one taken last first; returns the count

} // namespace footrace
