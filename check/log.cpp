#include "check/log.h"

#include "base/platform.h"
#include "check/thread_state.h"

namespace footrace {

void log_begins_era(ThreadState& t) { ++t.log.era; }

void log_turn(ThreadState& t) {
  if (!t.log.segments) {
    t.log.segments = reinterpret_cast<LogEntry*>(map_memory(2 * kLogSegment * sizeof(LogEntry)));
    FR_CHECK(t.log.segments && "out of memory for a thread's log");
  }
  LogEntry* const second = t.log.segments + kLogSegment;
  t.log.next = t.log.next >= second || !t.log.next ? t.log.segments : second;
  t.log.end = t.log.next + kLogSegment - kLogSlack;
  log_begins_era(t);
}

void log_place(ThreadState& t, Frame* top) {
  const PlaceNow now = t.log.place_now(t, top);
  LogEntry* entry = t.log.next;
  entry->what = now.context | kPlaceSize << 48;
  entry->where = now.locks | u64(t.epoch.raw) << 32;
  __atomic_store_n(&t.log.next, entry + 1, __ATOMIC_RELEASE);
  top->place = u64(entry - t.log.segments) % kLogSegment;
  top->era = t.log.era;
}

} // namespace footrace
