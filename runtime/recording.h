// Recording a run for `footrace record` (abi/recording.h). The log that the checks write anyway is what is recorded of accesses: before a part of it is overwritten, and
// before each event of synchronisation, what is new of it goes to the thread's ring (Log::take). An event gets its stamp, a number from a counter of the process, while
// whoever could see it must still wait: before a release takes effect, after an acquire has, and with an atomic's object locked. So stamps increase along
// every edge.
// Concurrency: a ring is written by its thread, in critical sections, or by whoever has stopped the world. There is no lock but for new names.
// Off, this costs one test of a flag where a thread synchronises slowly, and nothing where it does so at once: recording closes those ways (g_sync_slow).
#pragma once

#include "events/event.h"
#include "runtime/thread.h"

namespace footrace {

extern bool g_recording __attribute__((visibility("hidden")));
FR_INLINE bool is_recording() { return FR_UNLIKELY(g_recording); }
// Every access, not those of the logs (recording_all.cpp).
extern bool g_recording_all __attribute__((visibility("hidden")));
FR_INLINE bool is_recording_all() { return FR_UNLIKELY(g_recording_all); }
// False: the system does not let code be changed. Weak, because unit tests link the runtime without its entry points.
__attribute__((weak)) bool divert_entry_points();
FR_COLD void record_access(Thread* t, uptr address, u64 size, AccessKind kind, Site site);

void recording_start(); // if the options ask for it
// In the child of fork: the parent's recording goes on without it, and it begins one of its own.
void recording_before_child();
void recording_in_child();
// The process ends by itself: what all threads have done is recorded.
void recording_finish();
// Instrumented code was loaded.
void recording_modules();
void take_before_turn(ThreadState& t); // Log::take

// The thread's accesses so far, then the event.
FR_COLD void record_event(Thread* t, const Event& event, Site site = 0);
FR_COLD void record_taken_or_dropped(Thread* t, EventKind kind, uptr address, uptr pc);
FR_COLD void record_atomic(Thread* t, EventKind kind, u32 order, uptr address, u64 size, Site site);

FR_INLINE void record(Thread* t, EventKind kind, u64 target = 0) {
  if (is_recording() && t) record_event(t, {.kind = kind, .target = target});
}
FR_INLINE void record_range(Thread* t, EventKind kind, uptr address, u64 size) {
  if (is_recording() && t && size) record_event(t, {.kind = kind, .target = address, .extent = size});
}
FR_INLINE void record_barrier(Thread* t, EventKind kind, uptr barrier, u64 generation) {
  if (is_recording()) record_event(t, {.kind = kind, .target = barrier, .extent = generation});
}
// A lock of the program: only the outermost of recursive acquisitions counts. Before it is pushed to, and popped from, those that are held.
FR_INLINE void record_lock(Thread* t, EventKind kind, uptr address, uptr pc) {
  if (is_recording()) record_taken_or_dropped(t, kind, address, pc);
}
FR_COLD void record_creation(Thread* t, u32 child, ContextId where);
// The last of a thread: by itself, or once it is known to be gone.
void record_thread_end(Thread* t);
// Everything so far is ordered before the thread. The world is stopped.
void record_attached(Thread* t);
// Annotations and the runtime's own objects are variables of their own, apart from what is at the same address.
constexpr u64 annotation_variable(u64 address) { return address | 1ull << 62; }

} // namespace footrace
