// What the recent accesses of each thread were, so that a report can show the stack of the previous access.
//
// A live thread writes to a ring of its own, mapped at its first entry. When a thread ends, its entries are
// copied into one log that all finished threads share and that forgets the oldest first, so memory is bounded
// however many threads end. Above memory_limit_mb the log is given up and rings become short. Invariant: the clocks in a ring, and in a run of the log, never decrease.
// Concurrency: a ring is written without a lock by its thread, in order: the place after the newest entry may be half written, so a reader looks
// afterwards whether the place it has copied has become that one. g_lock keeps rings mapped while they are read and protects the log.
#include "runtime/history.h"

#include "base/platform.h"
#include "runtime/mapping_cache.h"
#include "runtime/options.h"
#include "runtime/thread.h"

namespace footrace {
namespace {

SpinLock g_lock;
Context* g_live[kMaxTid + 1]; // by tid

struct Run {
  u64 begin, count; // positions in the log, which count all entries ever written
  u64 first_clock, last_clock;
  Tid tid;
};

constexpr u64 kLogEntries = (4u << 20) / sizeof(HistoryEntry);
constexpr u64 kRuns = 16u << 10;
HistoryEntry* g_log;
Run* g_runs;
u64 g_log_next, g_runs_next;

constexpr u64 kMaxRing = 1u << 24;
MappingCache g_rings; // what is in one does not matter: nobody looks beyond ring_next

u64 ring_entries() {
  i64 wanted = options().history_size;
  u64 size = wanted > 0 ? 16 : 0;
  while (size && size < u64(wanted) && size < kMaxRing) size *= 2;
  return size;
}

bool g_is_short_of_memory; // never goes back
constexpr u64 kShortRing = 256;

FR_COLD bool make_ring(Context& c) {
  const u64 size = ring_entries();
  if (!size) return false;
  uptr memory = g_rings.take(size * sizeof(HistoryEntry));
  if (!memory) return false;
  c.ring_size = __atomic_load_n(&g_is_short_of_memory, __ATOMIC_RELAXED) ? min(size, kShortRing) : size;
  __atomic_store_n(&c.ring, reinterpret_cast<HistoryEntry*>(memory), __ATOMIC_RELEASE);
  return true;
}

bool is_match(const HistoryEntry& e, u64 clock, uptr address, SiteId site) {
  return e.clock == clock && address - e.address < e.size && e.site == site;
}

// Entry `index`; false if the ring has come round to it meanwhile.
bool copy_entry(const Context& c, u64 index, HistoryEntry& to) {
  auto* in = reinterpret_cast<const u64*>(&c.ring[index & (c.ring_size - 1)]);
  auto* out = reinterpret_cast<u64*>(&to);
  for (u64 i = 0; i < sizeof(HistoryEntry) / 8; ++i) out[i] = __atomic_load_n(in + i, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return __atomic_load_n(&c.ring_next, __ATOMIC_RELAXED) - index < c.ring_size;
}

bool find_in_ring(const Context& c, u64 clock, uptr address, SiteId site, HistoryEntry* out) {
  for (u64 i = __atomic_load_n(&c.ring_next, __ATOMIC_ACQUIRE); i-- > 0;) {
    HistoryEntry e;
    if (!copy_entry(c, i, e)) return false;
    if (is_match(e, clock, address, site)) {
      *out = e;
      return true;
    }
    if (e.clock < clock) return false;
  }
  return false;
}

bool find_in_log(Tid tid, u64 clock, uptr address, SiteId site, HistoryEntry* out) {
  u64 oldest = g_log_next > kLogEntries ? g_log_next - kLogEntries : 0;
  for (u64 r = g_runs_next; r-- > 0 && g_runs_next - r <= kRuns;) {
    const Run& run = g_runs[r % kRuns];
    if (run.begin + run.count <= oldest) return false;
    if (run.tid != tid || clock < run.first_clock || clock > run.last_clock) continue;
    for (u64 i = run.begin + run.count; i-- > max(run.begin, oldest);) {
      const HistoryEntry& e = g_log[i % kLogEntries];
      if (e.clock < clock) break;
      if (is_match(e, clock, address, site)) {
        *out = e;
        return true;
      }
    }
  }
  return false;
}

void keep_finished(const Context& c, Tid tid, u64 first_clock, u64 last_clock) {
  if (!g_log) g_log = reinterpret_cast<HistoryEntry*>(map_memory(kLogEntries * sizeof(HistoryEntry)));
  if (!g_runs) g_runs = reinterpret_cast<Run*>(map_memory(kRuns * sizeof(Run)));
  if (!g_log || !g_runs) return;
  u64 count = min(min(c.ring_next, c.ring_size), kLogEntries);
  g_runs[g_runs_next++ % kRuns] = {g_log_next, count, first_clock, last_clock, tid};
  for (u64 i = c.ring_next - count; i < c.ring_next; ++i)
    g_log[g_log_next++ % kLogEntries] = c.ring[i & (c.ring_size - 1)];
}

bool is_above_limit() {
  const i64 limit = options().memory_limit_mb;
  return limit > 0 && resident_bytes() >> 20 > u64(limit);
}

void give_up_log() {
  g_log_next += kLogEntries; // every run is too old now
  if (g_log) discard_pages(uptr(g_log), kLogEntries * sizeof(HistoryEntry));
}

// What was at other places of the ring is lost or is found as before: an entry tells itself what it is.
void shorten(Context& c) {
  if (c.ring_size <= kShortRing) return;
  c.ring_size = kShortRing;
  discard_pages(uptr(c.ring) + kShortRing * sizeof(HistoryEntry),
                (ring_entries() - kShortRing) * sizeof(HistoryEntry));
}

void say_short_of_memory() {
  static const char kText[] =
      "footrace: memory_limit_mb is reached: from now on reports may lack the callers of "
      "earlier accesses; races are found as before\n";
  write_all(2, kText, sizeof kText - 1);
}

} // namespace

void history_start(Context& c, Tid tid) {
  SpinGuard guard(g_lock);
  g_live[tid] = &c;
}

void history_finish(Context& c, Tid tid, u64 first_clock, u64 last_clock) {
  SpinGuard guard(g_lock);
  if (g_live[tid] == &c) g_live[tid] = nullptr;
  if (!c.ring) return;
  if (c.ring_next) keep_finished(c, tid, first_clock, last_clock);
  g_rings.give_back(uptr(c.ring), ring_entries() * sizeof(HistoryEntry));
  c.ring = nullptr;
  c.ring_size = c.ring_next = 0;
}

bool history_turn(Context& c) {
  if (!c.ring) return make_ring(c);
  if (!is_above_limit()) return true;
  SpinGuard guard(g_lock);
  if (!g_is_short_of_memory) {
    __atomic_store_n(&g_is_short_of_memory, true, __ATOMIC_RELAXED);
    give_up_log();
    say_short_of_memory();
  }
  shorten(c);
  return true;
}

bool history_find(Epoch previous, uptr address, SiteId site, HistoryEntry* out) {
  SpinGuard guard(g_lock);
  Tid tid = tid_of(previous);
  if (tid > kMaxTid) return false;
  u64 clock = clock_of(previous);
  const Context* live = g_live[tid];
  if (live && __atomic_load_n(&live->ring, __ATOMIC_ACQUIRE) &&
      find_in_ring(*live, clock, address, site, out))
    return true;
  return find_in_log(tid, clock, address, site, out);
}

} // namespace footrace
