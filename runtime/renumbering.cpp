#include "runtime/renumbering.h"

#include "check/renumbering.h"
#include "runtime/channels.h"
#include "runtime/environment.h"
#include "runtime/mappings.h"
#include "runtime/signals.h"
#include "runtime/sync.h"
#include "runtime/thread_slots.h"
#include "runtime/tsan_interface_fibers.h"

namespace footrace {

namespace {

u64 g_renumberings;
bool g_warned_of_loss, g_warned_of_live_threads;

void visit_threads(void*, void (*fn)(void*, ThreadState&), void* argument) {
  for_each_thread_locked([&](Thread* t) { fn(argument, *t); });
}

void visit_clocks(void*, void (*fn)(void*, Clock&), void* argument) {
  visit_sync_clocks(fn, argument);
  visit_channel_clocks(fn, argument);
  visit_signal_clocks(fn, argument);
  visit_fiber_clocks(fn, argument);
  for_each_slot([&](TidSlot& slot) { fn(argument, slot.final); });
}

void visit_memory(void*, void (*fn)(void*, uptr begin, uptr end), void* argument) {
  visit_shadowed_memory(fn, argument);
}

// Conflicts that are not reported yet.
void visit_epochs(void*, void (*fn)(void*, Epoch&), void* argument) {
  const auto visit = [&](FoundConflict* list, u32 count) {
    for (u32 i = 0; i < count; ++i) {
      fn(argument, list[i].epoch);
      fn(argument, list[i].conflict.previous);
    }
  };
  for_each_thread_locked([&](Thread* t) {
    visit(t->found.list, t->found.count);
    visit(t->found.reported, min<u32>(t->found.under_way, FoundConflicts::kNested));
  });
}

void warn(bool& warned, const char* text) {
  if (!__atomic_exchange_n(&warned, true, __ATOMIC_RELAXED)) say(text);
}

} // namespace

bool renumber_stopped_world(Thread* moving) {
  retire_the_dead();
  EpochMap map;
  describe_slots(map, moving);
  u32 live = 0;
  for_each_slot([&live](TidSlot& slot) { live += slot.state == SlotState::Live; });
  const u32 most_free = kMaxTid - min(live, u32(kMaxTid));
  constexpr u32 kLeastFree = 64;
  renumber(map, {nullptr, visit_threads, visit_clocks, visit_memory, visit_epochs}, most_free / 2,
           min(kLeastFree, most_free));
  slots_renumbered(map);
  for_each_thread_locked([](Thread* t) {
    fill_bytes(t->heard, 0, sizeof t->heard);
    t->last_sleep.count = 0;
  });
  ++g_renumberings;
  if (map.is_lossy())
    warn(g_warned_of_loss, "warning: thousands of threads have ended, and each is known to others than the "
                           "rest (most were never joined?); races with the oldest of "
                           "them may be missed from here on");
  return map.free_slots() != 0;
}

void renumber_for(Thread* me) {
  if (me->critical || me->ignore) return; // later
  me->pending &= ~kPendingRenumbering;
  const u64 mask = block_signals(); // a handler would wait for the world that we stop
  if (stop_world(me) && me->C.own >= kRenewalClock) renumber_stopped_world(me);
  resume_world();
  restore_signals(mask);
}

bool renumber_for_thread(Thread* me) {
  const u64 mask = block_signals();
  const bool is_still = stop_world(me), is_free = is_still && renumber_stopped_world(nullptr);
  resume_world();
  restore_signals(mask);
  if (is_still && !is_free)
    warn(g_warned_of_live_threads,
         "fatal: more than 8,000 threads are alive at the same time; the next one cannot be created");
  return is_free;
}

u64 renumberings() { return __atomic_load_n(&g_renumberings, __ATOMIC_RELAXED); }

} // namespace footrace
