// The vocabulary of traces: what a recorder writes, a replayer reads and every detector understands.
// Operations of FastTrack (PLDI'09, Figure 1 and section 4: volatiles, barriers), shared locks, C++20 atomics
// and fences, and the life of memory. An Event is plain data and needs no library, so the runtime may record
// it. The text form is described in docs/events.md; which traces are possible at all, in
// events/feasibility.h.
#pragma once

#include "base/types.h"

namespace footrace {

// The same numbers as the C ABI's __ATOMIC_* constants.
enum class MemoryOrder : u8 { Relaxed, Consume, Acquire, Release, AcqRel, SeqCst };

constexpr bool has_acquire(MemoryOrder o) { return o != MemoryOrder::Relaxed && o != MemoryOrder::Release; }
constexpr bool has_release(MemoryOrder o) { return o >= MemoryOrder::Release; }

// What an event's operands are, in the order in which the text form lists them.
enum class Operands : u8 {
  None,
  Range,   // address, size
  Lock,    // lock
  Var,     // volatile variable
  Thread,  // thread
  Barrier, // barrier, generation
  Atomic,  // address, size, order
  Order,   // order
  Block,   // number of an atomic block, or 0
};

// X(kind, name in the text form, operands)
#define FOOTRACE_EVENT_KINDS(X)                                                                              \
  X(Read, "r", Range)                                                                                        \
  X(Write, "w", Range)                                                                                       \
  X(Acquire, "acq", Lock)                                                                                    \
  X(Release, "rel", Lock)                                                                                    \
  X(AcquireShared, "acq_shared", Lock)                                                                       \
  X(ReleaseShared, "rel_shared", Lock)                                                                       \
  X(Fork, "fork", Thread)                                                                                    \
  X(Join, "join", Thread)                                                                                    \
  X(Exit, "exit", None)                                                                                      \
  X(VolatileRead, "vol_r", Var)                                                                              \
  X(VolatileWrite, "vol_w", Var)                                                                             \
  X(AtomicLoad, "load", Atomic)                                                                              \
  X(AtomicStore, "store", Atomic)                                                                            \
  X(AtomicRmw, "rmw", Atomic)                                                                                \
  X(AtomicCasFail, "cas_fail", Atomic) /* the order is the failure order */                                  \
  X(Fence, "fence", Order)                                                                                   \
  X(BarrierArrive, "arrive", Barrier)                                                                        \
  X(BarrierLeave, "leave", Barrier)                                                                          \
  X(Alloc, "alloc", Range)                                                                                   \
  X(Free, "free", Range)                                                                                     \
  X(Begin, "begin", Block) /* of a function or block that is meant to be atomic */                           \
  X(End, "end", Block)

enum class EventKind : u8 {
#define X(kind, text, operands) kind,
  FOOTRACE_EVENT_KINDS(X)
#undef X
};

constexpr u32 kEventKinds = 0
#define X(kind, text, operands) +1
    FOOTRACE_EVENT_KINDS(X)
#undef X
    ;

struct Event {
  EventKind kind = EventKind::Exit;
  MemoryOrder order = MemoryOrder::Relaxed;
  u32 thread = 0;
  u32 site = 0;   // where in the program; 0 unknown
  u32 stack = 0;  // the calls that led there; 0 unknown
  u64 target = 0; // address, or the number of the lock, volatile variable, barrier or thread
  u64 extent = 0; // bytes, or the barrier's generation

  friend bool operator==(const Event&, const Event&) = default;
};
static_assert(sizeof(Event) == 32 && __is_trivially_copyable(Event));

constexpr Operands operands_of(EventKind kind) {
  constexpr Operands table[] = {
#define X(kind, text, operands) Operands::operands,
      FOOTRACE_EVENT_KINDS(X)
#undef X
  };
  return table[u32(kind)];
}

constexpr bool has_order(EventKind k) {
  return operands_of(k) == Operands::Atomic || operands_of(k) == Operands::Order;
}
constexpr bool has_range(EventKind k) {
  return operands_of(k) == Operands::Range || operands_of(k) == Operands::Atomic;
}
constexpr bool has_atomic_access(EventKind k) { return operands_of(k) == Operands::Atomic; }
// Accesses are what can race: everything that touches memory except its allocation, which starts a new life.
constexpr bool has_access(EventKind k) { return has_range(k) && k != EventKind::Alloc; }
constexpr bool may_write(EventKind k) {
  return k == EventKind::Write || k == EventKind::AtomicStore || k == EventKind::AtomicRmw ||
         k == EventKind::Free;
}
constexpr bool may_read_atomically(EventKind k) {
  return has_atomic_access(k) && k != EventKind::AtomicStore;
}

} // namespace footrace
