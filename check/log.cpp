// The segments of a log lie one behind the other in a mapping of their own, and behind them what keeping needs: a step may be on a small signal stack.
#include "check/log.h"

#include "base/mapping_cache.h"
#include "base/platform.h"
#include "check/cell.h"
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
  limit_kept(min<u64>(entries * kKeptPerEntry, 1 << 26));
  g_has_limits = true;
}

// -- Entries

bool is_place(const LogEntry& e) { return (e.what >> 48) == kPlaceSize; }
bool is_access(const LogEntry& e) {
  return (e.what >> 48 & kPlaceSize) && !is_place(e);
} // a length has no size
Epoch epoch_of(const LogEntry& place) { return {u32(place.where >> 32)}; }

constexpr u64 kLow48 = (1ull << 48) - 1;
u64 size_of(const LogEntry* e) {
  const u64 size = e->what >> 48 & kPlaceSize;
  return size == kLongSize ? e[1].what : size;
}
u64 where_of(const LogEntry* e) {
  return __atomic_load_n(&e->where, __ATOMIC_RELAXED);
} // sites may be renamed

struct Segment {
  LogEntry *begin, *end; // of what is written
  // Null: the frame of another thread's stack led elsewhere.
  const LogEntry* place_of(const LogEntry* e) const {
    const LogEntry* place = begin + (where_of(e) >> 48);
    return place < end && is_place(*place) ? place : nullptr;
  }
};

LogEntry* newer_begin(const Log& log) { return log.end + kLogSlack - log.size; }
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

// Loops walk through memory: an access goes on where the last one of its site ended, or before it, or is inside it. Some sites take turns.
struct Keeping {
  static constexpr u32 kOpen = 16, kBatch = 64;
  KeptAccess open[kOpen]; // by site; one that is nothing has the size 0
  KeptAccess batch[kBatch];
  u32 count;
};
u64 mapping_bytes(u32 size) { return round_up(2 * size * sizeof(LogEntry) + sizeof(Keeping), 4096); }
Keeping& keeping_of(const Log& log) {
  return *reinterpret_cast<Keeping*>(uptr(log.segments) + log.bytes - sizeof(Keeping));
}

void flush(Keeping& keeping) {
  SpinGuard guard(g_lock);
  keep_accesses(keeping.batch, keeping.count);
  keeping.count = 0;
}
void close(Keeping& keeping, KeptAccess& open) {
  if (!open.size()) return;
  if (keeping.count == Keeping::kBatch) flush(keeping);
  keeping.batch[keeping.count++] = open;
  open.set_size(0);
}

bool extend(KeptAccess& open, const KeptAccess& a) {
  if (a.address > open.end() || a.end() < open.address || !open.size()) return false;
  if (open.site != a.site || open.epoch != a.epoch || open.context != a.context || open.locks != a.locks ||
      open.kind_bits != a.kind_bits)
    return false;
  const uptr begin = min<uptr>(open.address, a.address), end = max(open.end(), a.end());
  if (end - begin > kMostBytesKept) return false;
  open.address = begin;
  open.set_size(end - begin);
  return true;
}

// Bytes of its first or last granule are not in the shadow yet.
bool may_wait(const ThreadState& t, const KeptAccess& a) {
  const auto waits = [&](uptr byte) {
    return t.waiting.slot[WaitingBytes::slot_of(byte / kGranule)].granule == byte / kGranule;
  };
  return t.waiting.used && a.epoch == t.epoch && (waits(a.address) || waits(a.end() - 1));
}

void keep(const ThreadState& t, Keeping& keeping, KeptAccess a, u64 size) {
  for (u64 done = 0; done < size; done += kMostBytesKept, a.address += kMostBytesKept) {
    a.set_size(min(size - done, kMostBytesKept));
    if (!is_named(a) && !may_wait(t, a)) continue;
    KeptAccess& open = keeping.open[(a.site ^ a.site >> 4 ^ a.site >> 8) % Keeping::kOpen];
    if (extend(open, a)) continue;
    close(keeping, open);
    open = a;
  }
}

// What the shadow still names of the segment.
void keep_segment(const ThreadState& t, Keeping& keeping, const Segment& segment) {
  constexpr u32 kAhead = 24;
  for (const LogEntry* e = segment.begin; e < segment.end; ++e) {
    if (e + kAhead < segment.end) __builtin_prefetch(cell_of(e[kAhead].what & kLow48));
    if (!is_access(*e)) continue;
    const LogEntry* place = segment.place_of(e);
    if (!place) continue;
    KeptAccess a = {};
    a.address = e->what & kLow48;
    a.kind_bits = e->what >> 62;
    a.site = where_of(e) & kLow48;
    a.epoch = epoch_of(*place);
    a.context = ContextId(place->what);
    a.locks = LockSetId(place->where);
    keep(t, keeping, a, size_of(e));
  }
}
void keep_segments(const ThreadState& t, const Segment& first, const Segment& second) {
  if (!g_remembers) return;
  Keeping& keeping = keeping_of(t.log);
  fill_bytes(keeping.open, 0, sizeof keeping.open); // the mapping was another thread's
  keeping.count = 0;
  keep_segment(t, keeping, first);
  keep_segment(t, keeping, second);
  for (KeptAccess& open : keeping.open) close(keeping, open);
  if (keeping.count) flush(keeping);
}
void keep_all(const ThreadState& t) { keep_segments(t, older(t.log), newer(t.log)); }

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
  const u64 end = round_down(log.bytes - sizeof(Keeping), 4096);
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
      keep_segments(t, older(log), {});
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
  Log& log = t.log;
  const PlaceNow now = log.place_now(t, top);
  LogEntry* entry = log.next;
  entry->what = now.context | kPlaceSize << 48;
  entry->where = now.locks | u64(t.epoch.raw) << 32;
  __atomic_store_n(&log.next, entry + 1, __ATOMIC_RELEASE);
  top->place = u64(entry - newer_begin(log));
  top->era = log.era;
}

void log_start(ThreadState& t) {
  SpinGuard guard(g_lock);
  FR_CHECK(g_live_count < kSlots && "too many threads");
  g_live[g_live_count++] = &t;
  t.log.number = g_live_count;
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

// From the latest to the oldest. False: what is older is of older epochs.
bool find_in_segment(const Segment& segment, WantedAccess& wanted) {
  for (const LogEntry* e = segment.end; e-- > segment.begin && !wanted.is_found();) {
    if (!is_access(*e)) continue;
    const LogEntry* place = segment.place_of(e);
    const Epoch epoch = place ? epoch_of(*place) : kNoEpoch;
    if (epoch && tid_of(epoch) == tid_of(wanted.epoch) && clock_of(epoch) < clock_of(wanted.epoch))
      return false;
    if (epoch != wanted.epoch) continue;
    wanted.offer({e->what & kLow48, size_of(e), AccessKind(e->what >> 62), where_of(e) & kLow48,
                  ContextId(place->what), LockSetId(place->where)});
  }
  return true;
}

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

bool log_find(Epoch epoch, uptr byte, AccessKind kind, LoggedAccess* out) {
  if (!epoch || !g_remembers) return false;
  WantedAccess wanted(epoch, byte, kind);
  SpinGuard guard(g_lock);
  for (u32 i = 0; i < g_live_count; ++i) {
    const ThreadState& t = *g_live[i];
    if (__atomic_load_n(&t.C.owner, __ATOMIC_RELAXED) != tid_of(epoch)) continue;
    if (find_in_segment(newer(t.log), wanted)) find_in_segment(older(t.log), wanted);
  }
  if (!wanted.is_found()) find_kept(wanted);
  return wanted.take(out);
}

void visit_logged_epochs(void (*fn)(void*, Epoch&), void* argument) {
  SpinGuard guard(g_lock);
  for_each_live_entry([&](LogEntry& e) {
    if (!is_place(e)) return;
    Epoch epoch = epoch_of(e);
    fn(argument, epoch);
    e.where = u64(epoch.raw) << 32 | u32(e.where);
  });
  for_each_kept([&](KeptAccess& a) { fn(argument, a.epoch); });
}

void visit_logged_sites(void (*fn)(void*, Site&), void* argument) {
  SpinGuard guard(g_lock);
  for_each_live_entry([&](LogEntry& e) {
    if (!is_access(e)) return;
    const u64 where = where_of(&e);
    Site site = where & kLow48;
    fn(argument, site);
    if (site != (where & kLow48)) __atomic_store_n(&e.where, site | (where & ~kLow48), __ATOMIC_RELAXED);
  });
  for_each_kept([&](KeptAccess& a) {
    Site site = a.site;
    fn(argument, site);
    a.site = site;
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
