// What is left of old logs: accesses that the shadow still names, of all threads, in order of age.
//
// They lie in one array, in *chunks*: segments of one thread, each with the epochs and the addresses that it holds. A report goes through the
// chunks that may have what it looks for, from the latest to the oldest; so keeping an access costs no more than copying it. When the array is full, a sweep
// moves together what the shadow still names. If little of what was kept since the last one is named (the program goes over the same data again and
// again), or more than there is room for, keeping does not pay: a thread keeps one segment in two, then in four... until that changes. If there is no room, those
// between the oldest and the latest go: what was written at the start and never again stays.
// Concurrency: the caller holds the lock of the logs, but for what is sought.
#pragma once

#include "check/log_segment.h"
#include "check/still_names.h"

namespace footrace {

// Accesses that were met, and are looked for next (log_seek). A bit for each that is in use.
struct Sought {
  uptr begin, end;
  Epoch epoch;
};
constexpr u32 kMostSought = 64;
extern u64 g_sought_used;
FR_INLINE bool is_anything_sought() {
  return FR_UNLIKELY(__atomic_load_n(&g_sought_used, __ATOMIC_RELAXED) != 0);
}
FR_COLD bool is_sought(const LogEntry& e, Epoch epoch);
void visit_sought(void (*fn)(void*, Epoch&), void* argument);

// Whether the shadow still names an access, or it is sought. A long one that meets many conflicts is in the log as often, and asked once.
class Question {
public:
  FR_INLINE bool is_wanted(const LogEntry& e, Epoch epoch) {
    if (FR_UNLIKELY(is_long(e))) return is_long_wanted(e, epoch);
    return fasttrack::still_tells(address_of(e), size_of(e), kind_of(e), epoch) || is_sought_now(e, epoch);
  }

private:
  FR_INLINE static bool is_sought_now(const LogEntry& e, Epoch epoch) {
    return is_anything_sought() && is_sought(e, epoch);
  }
  FR_COLD bool is_long_wanted(const LogEntry& e, Epoch epoch) {
    if (e.what != what_ || size_of(e) != size_ || epoch != epoch_) {
      what_ = e.what, size_ = size_of(e), epoch_ = epoch;
      answer_ = fasttrack::still_names(address_of(e), size_, epoch);
    }
    return answer_ || is_sought_now(e, epoch);
  }
  u64 what_ = 0, size_ = 0;
  Epoch epoch_;
  bool answer_ = false;
};

// At most so many entries; more than that are dropped at once. 0: none is kept.
void limit_kept(u64 most);
constexpr u32 kMostInChunk = kMostInSegment;
void keep_segment(const Segment& segment); // epochs of one slot

u32 keep_one_in(); // segments

void wait_for_tellers(); // log.cpp

void find_kept(WantedAccesses& wanted);

void visit_kept(void (*fn)(void*, LogEntry&), void* argument);
template <class Fn> void for_each_kept(Fn fn) {
  visit_kept([](void* f, LogEntry& e) { (*static_cast<Fn*>(f))(e); }, &fn);
}
void add_kept_counts(LogCounts& counts);

} // namespace footrace
