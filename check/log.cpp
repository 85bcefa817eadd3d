// The segments of a log lie one behind the other in a mapping of their own.
#include "check/log.h"

#include "base/mapping_cache.h"
#include "check/kept_accesses.h"
#include "check/thread_state.h"

namespace footrace {

namespace {

SpinLock g_lock;             // of the registry and of kept accesses; while it is held, no log turns or goes
ThreadState* g_live[kSlots]; // Log::number is the index + 1
u32 g_live_count;
u64 g_turns;
MappingCache g_mappings;

constexpr u32 kDefaultSize = 8192, kLeastSize = 64, kShortSize = 256;
constexpr u64 kShortKept = 16 << 10;

u32 g_size = kDefaultSize;
bool g_remembers = true;
i64 g_memory_limit_mb;
bool g_is_short_of_memory; // never goes back

bool g_has_limits;

void set_limits(u64 entries) {
  g_remembers = entries != 0;
  g_size = kLeastSize;
  while (g_size < entries && g_size < kMostInSegment) g_size *= 2;
  limit_kept(g_remembers ? min<u64>(max<u64>(entries, g_size) * kKeptPerEntry, 1 << 28) : 0);
  g_has_limits = true;
}

LogEntry* older_begin(const Log& log) {
  return newer_begin(log) == log.segments ? log.segments + log.size : log.segments;
}
Segment newer(const Log& log) {
  if (!log.segments) return {};
  return {newer_begin(log), __atomic_load_n(&log.next, __ATOMIC_ACQUIRE)};
}
Segment older(const Log& log) {
  if (!log.segments || !log.older_end) return {};
  return {older_begin(log), log.older_end};
}

// -- Keeping

// Whether the shadow still names an access is asked later, of many at once, if at all (kept_accesses.h).
void keep(const Segment& segment) {
  if (!g_remembers || !segment.count()) return;
  SpinGuard guard(g_lock);
  keep_segment(segment);
}
void keep_older(ThreadState& t) {
  if (t.log.not_kept) {
    --t.log.not_kept;
    return;
  }
  keep(older(t.log));
  t.log.not_kept = keep_one_in() - 1;
}
void keep_all(const ThreadState& t) {
  keep(older(t.log));
  keep(newer(t.log));
}

// -- Memory

// Entries that nobody will read, of threads without memory for a log.
constexpr u32 kNowhere = 64;
LogEntry g_nowhere[kNowhere];

void write_from(Log& log, LogEntry* begin) {
  __atomic_store_n(&log.next, begin, __ATOMIC_RELEASE);
  log.end = begin + log.size - kLogSlack;
  log.ticked = nullptr; // it may come round to where the epoch began
}

void start_over(Log& log, u32 size) {
  log.size = size;
  log.older_end = nullptr;
  write_from(log, log.segments);
}

void map_segments(Log& log) {
  const u64 bytes = round_up(2 * g_size * sizeof(LogEntry), 4096);
  const uptr memory = g_mappings.take(bytes);
  if (!memory) {
    log.size = kNowhere;
    return write_from(log, g_nowhere);
  }
  SpinGuard guard(g_lock);
  if (!g_has_limits) set_limits(kDefaultSize);
  log.segments = reinterpret_cast<LogEntry*>(memory);
  log.bytes = bytes;
  start_over(log, g_is_short_of_memory ? min(g_size, kShortSize) : g_size);
}

bool is_above_limit() { return g_memory_limit_mb > 0 && resident_bytes() >> 20 > u64(g_memory_limit_mb); }

void become_short_of_memory() {
  static const char kText[] =
      "footrace: memory_limit_mb is reached: from now on reports may lack the callers of "
      "earlier accesses; races are found as before\n";
  SpinGuard guard(g_lock);
  if (g_is_short_of_memory) return;
  __atomic_store_n(&g_is_short_of_memory, true, __ATOMIC_RELAXED);
  limit_kept(min<u64>(g_size * kKeptPerEntry, kShortKept));
  write_all(2, kText, sizeof kText - 1);
}

void shorten(ThreadState& t) {
  Log& log = t.log;
  keep_all(t);
  SpinGuard guard(g_lock);
  start_over(log, kShortSize);
  const u64 used = round_up(2 * kShortSize * sizeof(LogEntry), 4096);
  if (used < log.bytes) discard_pages(uptr(log.segments) + used, log.bytes - used);
}

} // namespace

void limit_logs(i64 history_size, i64 memory_limit_mb) {
  SpinGuard guard(g_lock);
  set_limits(history_size > 0 ? u64(history_size) : 0);
  g_memory_limit_mb = memory_limit_mb;
  g_is_short_of_memory = false;
}

void log_eras_wrap(ThreadState& t) {
  if (t.log.forget_places) t.log.forget_places(t);
  t.log.era = 1;
}

void log_turn(ThreadState& t) {
  Log& log = t.log;
  if (log.take) log.take(t);
  if (!log.segments) {
    map_segments(log);
  } else {
    if (is_above_limit()) become_short_of_memory();
    if (__atomic_load_n(&g_is_short_of_memory, __ATOMIC_RELAXED) && log.size > kShortSize) {
      shorten(t);
    } else {
      keep_older(t);
      SpinGuard guard(g_lock);
      LogEntry* begin = older_begin(log);
      log.older_end = log.next;
      write_from(log, begin);
      ++g_turns;
    }
  }
  log_begins_era(t);
}

void log_place(ThreadState& t, Frame* top) {
  const PlaceNow now = t.log.place_now(t, top);
  t.log.locks = now.locks;
  log_place_of(t.log, t.epoch, top, now);
}

void log_start(ThreadState& t) {
  SpinGuard guard(g_lock);
  FR_CHECK(g_live_count < kSlots && "too many threads");
  g_live[g_live_count++] = &t;
  t.log.number = g_live_count;
}

// Whoever has changed the shadow, so that it does not name an access any more, has told what it has found by the end of this.
void wait_for_tellers() {
  if (g_live_count < 2) return;
  remote_fence(); // a thread is telling before it looks at the shadow
  for (u32 i = 0; i < g_live_count; ++i) {
    const u32* telling = &g_live[i]->telling;
    const u32 before = __atomic_load_n(telling, __ATOMIC_ACQUIRE);
    constexpr u32 kPatience = 10'000; // a fork that did not wait for all has lost threads
    for (u32 spins = 0; before & 1 && spins < kPatience; pause_for(spins))
      if (__atomic_load_n(telling, __ATOMIC_ACQUIRE) != before) break;
  }
}

void find_live(const ThreadState* (&in_slot)[kSlots]) {
  for (const ThreadState*& t : in_slot) t = nullptr;
  for (u32 i = 0; i < g_live_count; ++i)
    in_slot[__atomic_load_n(&g_live[i]->C.owner, __ATOMIC_RELAXED)] = g_live[i];
}

void log_finish(ThreadState& t) {
  Log& log = t.log;
  if (log.take) log.take(t);
  if (log.segments) keep_all(t);
  {
    SpinGuard guard(g_lock);
    if (log.number) {
      ThreadState* last = g_live[--g_live_count];
      last->log.number = log.number;
      g_live[log.number - 1] = last;
    }
    log.number = 0;
  }
  if (log.segments) g_mappings.give_back(uptr(log.segments), log.bytes);
  log = Log();
}

void log_new_tid(ThreadState& t) {
  if (!t.log.segments) return;
  if (t.log.take) t.log.take(t);
  keep_all(t);
  SpinGuard guard(g_lock);
  start_over(t.log, t.log.size);
  log_begins_era(t);
}

namespace {

template <class Fn> void for_each_entry_of(const Segment& segment, Fn fn) {
  for (LogEntry* e = segment.begin; e < segment.end; ++e) fn(*e);
}
template <class Fn> void for_each_live_entry(Fn fn) {
  for (u32 i = 0; i < g_live_count; ++i) {
    for_each_entry_of(older(g_live[i]->log), fn);
    for_each_entry_of(newer(g_live[i]->log), fn);
  }
}

} // namespace

void log_find(Epoch epoch, uptr begin, u32 size, AccessKind kind, LoggedAccesses& out) {
  if (!epoch || !g_remembers) return;
  WantedAccesses wanted(epoch, begin, min(size, LoggedAccesses::kMostBytes), kind, out);
  SpinGuard guard(g_lock);
  for (u32 i = 0; i < g_live_count; ++i) {
    const ThreadState& t = *g_live[i];
    if (__atomic_load_n(&t.C.owner, __ATOMIC_RELAXED) != tid_of(epoch)) continue;
    if (wanted.look_in(newer(t.log))) wanted.look_in(older(t.log));
  }
  if (!wanted.is_complete()) find_kept(wanted);
}

bool log_find(Epoch epoch, uptr byte, AccessKind kind, LoggedAccess* out) {
  LoggedAccesses found;
  log_find(epoch, byte, 1, kind, found);
  if (found.at(0)) *out = *found.at(0);
  return found.at(0);
}

namespace {
template <class Fn> void for_each_logged(Fn fn) {
  SpinGuard guard(g_lock);
  for_each_live_entry(fn);
  for_each_kept(fn);
}
} // namespace

void visit_logged_epochs(void (*fn)(void*, Epoch&), void* argument) {
  visit_sought(fn, argument);
  for_each_logged([&](LogEntry& e) {
    if (!is_place(e)) return;
    Epoch epoch = epoch_of(e);
    fn(argument, epoch);
    e.where = u64(epoch.raw) << 32 | u32(e.where);
  });
}

void visit_logged_sites(void (*fn)(void*, Site&), void* argument) {
  for_each_logged([&](LogEntry& e) {
    if (!is_access(e)) return;
    const u64 where = where_of(e);
    Site site = where & kLogSite;
    fn(argument, site);
    if (site != (where & kLogSite)) __atomic_store_n(&e.where, site | (where & ~kLogSite), __ATOMIC_RELAXED);
  });
}

void log_lock_all() { g_lock.lock(); }
void log_unlock_all() { g_lock.unlock(); }

LogCounts log_counts() {
  SpinGuard guard(g_lock);
  LogCounts counts;
  add_kept_counts(counts);
  counts.turns = g_turns;
  return counts;
}

} // namespace footrace
