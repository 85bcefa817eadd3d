// The segments of a log lie one behind the other in a mapping of their own, and behind them what keeping needs: a step may be on a small signal stack.
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

// In the mapping of a log, behind the segments.
struct Keeping {
  static constexpr u32 kMost = 512;
  SegmentCopier copier;
  LogEntry copied[kMost];
  u16 places[]; // as many as a segment has entries
};
u64 keeping_bytes(u32 size) { return round_up(sizeof(Keeping) + size * sizeof(u16), 16); }
u64 mapping_bytes(u32 size) { return round_up(2 * size * sizeof(LogEntry) + keeping_bytes(size), 4096); }
Keeping& keeping_of(const Log& log) { return *reinterpret_cast<Keeping*>(uptr(log.segments) + log.keeping); }

void publish(Keeping& keeping) {
  if (!keeping.copier.count()) return;
  SpinGuard guard(g_lock);
  keep_segment({keeping.copied, keeping.copied + keeping.copier.count()});
}

// Bytes of its first or last granule are not in the shadow yet.
bool may_wait(const ThreadState& t, const LogEntry& e, Epoch epoch) {
  const auto waits = [&](uptr byte) {
    return t.waiting.slot[WaitingBytes::slot_of(byte / kGranule)].granule == byte / kGranule;
  };
  return t.waiting.used && epoch == t.epoch &&
         (waits(address_of(e)) || waits(address_of(e) + size_of(e) - 1));
}

// The first and the last one of a segment, whose epochs never decrease.
fasttrack::EpochRange epochs_of(const Segment& segment) {
  const LogEntry *first = segment.begin, *last = segment.end;
  while (first != last && !is_place(*first)) ++first;
  while (last != first && !is_place(*--last)) {
  }
  if (!is_place(*first)) return {{1}, kNoEpoch};
  return {epoch_of(*first), epoch_of(*last)};
}

// What the shadow still names of the segment.
void keep(const ThreadState& t, const Segment& segment) {
  constexpr u32 kAhead = 24;
  if (!segment.count()) return;
  Keeping& keeping = keeping_of(t.log);
  Question question;
  const fasttrack::EpochRange epochs = epochs_of(segment);
  const bool is_waiting = t.waiting.used;
  keeping.copier.read_from(segment, keeping.places);
  for (const LogEntry* e = segment.begin; e < segment.end; ++e) {
    __builtin_prefetch(cell_of(address_of(e[kAhead])));
    // Most are accesses of a few bytes that have been made again since.
    if (FR_LIKELY(ends_in_its_cell(*e)) && !epochs.may_be_named(address_of(*e)) && !is_waiting &&
        !is_anything_sought())
      continue;
    if (!is_access(*e)) continue;
    const LogEntry* place = segment.place_of(*e);
    if (!place) continue;
    const Epoch epoch = epoch_of(*place);
    if (!question.is_wanted(*e, epoch) && !may_wait(t, *e, epoch)) continue;
    keeping.copier.copy(*e, *place);
    if (FR_UNLIKELY(keeping.copier.count() > Keeping::kMost - SegmentCopier::kMostPerAccess)) {
      publish(keeping);
      keeping.copier.start_again();
    }
  }
}
// Of what it does not name any more, what somebody has met in the meantime and is going to look for.
void keep_sought(const ThreadState& t, const Segment& segment) {
  Keeping& keeping = keeping_of(t.log);
  keeping.copier.read_from(segment, keeping.places);
  for (const LogEntry* e = segment.begin; e < segment.end; ++e) {
    const LogEntry* place = is_access(*e) ? segment.place_of(*e) : nullptr;
    if (place && is_sought(*e, epoch_of(*place)) &&
        keeping.copier.count() <= Keeping::kMost - SegmentCopier::kMostPerAccess)
      keeping.copier.copy(*e, *place);
  }
}
void keep_both(const ThreadState& t, const Segment& first, const Segment& second) {
  if (!g_remembers) return;
  Keeping& keeping = keeping_of(t.log);
  keeping.copier.start(keeping.copied);
  keep(t, first);
  keep(t, second);
  publish(keeping);
  {
    SpinGuard guard(g_lock);
    wait_for_tellers();
  }
  if (!is_anything_sought()) return;
  keeping.copier.start(keeping.copied);
  keep_sought(t, first);
  keep_sought(t, second);
  publish(keeping);
}
void keep_older(ThreadState& t) {
  if (t.log.not_kept) {
    --t.log.not_kept;
    return;
  }
  keep_both(t, older(t.log), {});
  t.log.not_kept = keep_one_in() - 1;
}
void keep_all(const ThreadState& t) { keep_both(t, older(t.log), newer(t.log)); }

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
  const u64 bytes = mapping_bytes(g_size);
  const uptr memory = g_mappings.take(bytes);
  if (!memory) {
    log.size = kNowhere;
    return write_from(log, g_nowhere);
  }
  SpinGuard guard(g_lock);
  if (!g_has_limits) set_limits(kDefaultSize);
  log.segments = reinterpret_cast<LogEntry*>(memory);
  log.bytes = bytes;
  log.keeping = bytes - keeping_bytes(g_size);
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
  const u64 end = round_down(log.keeping, 4096);
  if (used < end) discard_pages(uptr(log.segments) + used, end - used);
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

void log_finish(ThreadState& t) {
  Log& log = t.log;
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
