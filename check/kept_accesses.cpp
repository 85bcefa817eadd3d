#include "check/kept_accesses.h"

namespace footrace {

u64 g_sought_used;

namespace {

Sought g_sought[kMostSought];

struct KeptChunk {
  u64 begin; // in the array
  u32 count;
  u32 first, last; // epochs, as numbers
  uptr low, high;  // addresses
};

constexpr u64 kFirstSweep = 64 << 10; // fewer entries than this are not worth one
constexpr u64 kGrowth = 3;            // the array becomes so much longer before the next one
constexpr u64 kMemoryPerKept = 8;     // the array may have this part of the process's memory
constexpr u64 kLeastInChunk = 2;      // a place and an access
constexpr u32 kLeastOften = 16;

LogEntry* g_kept; // g_mapped of them, then the chunks, then bits; the oldest first
KeptChunk* g_chunks;
u64* g_wanted; // while it is swept: a bit for every entry
u64 g_most, g_room; // entries: by the options; as much memory as the process has now
u64 g_mapped, g_count, g_chunk_count, g_next_sweep;
u32 g_keep_one_in = 1;
u64 g_after_sweep; // entries
LogCounts g_counts;

Segment segment_of(const KeptChunk& c) { return {g_kept + c.begin, g_kept + c.begin + c.count}; }
u64 chunks_bytes() { return round_up(g_mapped / kLeastInChunk * sizeof(KeptChunk), 8); }
u64 mapping_bytes() { return g_mapped * sizeof(LogEntry) + chunks_bytes() + round_up(g_mapped, 64) / 8; }

bool map_array() {
  if (g_kept) return true;
  g_mapped = g_most;
  const uptr memory = map_memory(mapping_bytes());
  if (!memory) return false;
  g_kept = reinterpret_cast<LogEntry*>(memory);
  g_chunks = reinterpret_cast<KeptChunk*>(memory + g_mapped * sizeof(LogEntry));
  g_wanted = reinterpret_cast<u64*>(uptr(g_chunks) + chunks_bytes());
  g_next_sweep = min(kFirstSweep, g_most);
  return true;
}

void unmap_array() {
  if (g_kept) unmap_memory(uptr(g_kept), mapping_bytes());
  g_kept = nullptr;
  g_count = g_chunk_count = g_after_sweep = 0;
  g_keep_one_in = 1;
}

void describe(KeptChunk& chunk) {
  chunk.first = ~0u, chunk.last = 0, chunk.low = ~uptr(0), chunk.high = 0;
  const Segment segment = segment_of(chunk);
  for (const LogEntry* e = segment.begin; e < segment.end; ++e) {
    if (is_place(*e)) {
      chunk.first = min(chunk.first, epoch_of(*e).raw);
      chunk.last = max(chunk.last, epoch_of(*e).raw);
    } else if (is_access(*e)) {
      chunk.low = min(chunk.low, address_of(*e));
      chunk.high = max(chunk.high, address_of(*e) + size_of(*e));
    }
  }
}

void add_chunk(u64 begin, u32 count) {
  KeptChunk& chunk = g_chunks[g_chunk_count++];
  chunk.begin = begin;
  chunk.count = count;
  describe(chunk);
}

// So that no more than about `most` entries are left: the latest ones, and the oldest, which nothing has come after for longest.
void drop_middle(u64 most) {
  if (g_count <= most) return;
  const auto first_from = [](u64 entry) { // of the chunks
    u64 chunk = 0;
    while (chunk < g_chunk_count && g_chunks[chunk].begin < entry) ++chunk;
    return chunk;
  };
  const u64 from = first_from(most / 4), to = first_from(g_count - most / 4 * 3);
  const auto begin_of = [](u64 chunk) { return chunk == g_chunk_count ? g_count : g_chunks[chunk].begin; };
  const u64 begin = begin_of(from), end = begin_of(to);
  if (from >= to) return;
  const u64 dropped = end - begin;
  for (u64 i = end; i < g_count; ++i) g_kept[i - dropped] = g_kept[i];
  for (u64 i = to; i < g_chunk_count; ++i) {
    g_chunks[i - (to - from)] = g_chunks[i];
    g_chunks[i - (to - from)].begin -= dropped;
  }
  g_chunk_count -= to - from;
  g_count -= dropped;
  g_counts.dropped += dropped;
}

// Of the chunk that is swept.
LogEntry g_swept[kMostInChunk];
u16 g_places[kMostInChunk];
SegmentCopier g_copier;

void mark_wanted(const KeptChunk& chunk, Question& question) {
  constexpr u32 kAhead = 16;
  const Segment segment = segment_of(chunk);
  for (const LogEntry* e = segment.begin; e < segment.end; ++e) {
    if (e + kAhead < segment.end) __builtin_prefetch(cell_of(address_of(e[kAhead])));
    const u64 i = u64(e - g_kept), bit = 1ull << i % 64;
    const LogEntry* place = is_access(*e) ? segment.place_of(*e) : nullptr;
    const bool wanted = place && question.is_wanted(*e, epoch_of(*place));
    g_wanted[i / 64] = wanted ? g_wanted[i / 64] | bit : g_wanted[i / 64] & ~bit;
  }
}
void copy_wanted(const KeptChunk& chunk) {
  const Segment segment = {g_swept, g_swept + chunk.count};
  copy_bytes(g_swept, g_kept + chunk.begin, chunk.count * sizeof(LogEntry));
  g_copier.read_from(segment, g_places);
  for (const LogEntry* e = segment.begin; e < segment.end; ++e) {
    const u64 i = chunk.begin + u64(e - segment.begin);
    const LogEntry* place = is_access(*e) ? segment.place_of(*e) : nullptr;
    if (place && (g_wanted[i / 64] >> i % 64 & 1 || is_sought(*e, epoch_of(*place))))
      g_copier.copy(*e, *place);
  }
}

// What is left of a chunk is never longer than it was, and moves down. Neighbours of one thread go together, as long as chunks can be told apart by age.
void sweep() {
  const u64 most = min<u64>(kMostInChunk, g_room / 32);
  const u64 before = g_count, chunks = g_chunk_count;
  Question question;
  for (u64 i = 0; i < chunks; ++i) mark_wanted(g_chunks[i], question);
  wait_for_tellers();
  g_count = g_chunk_count = 0;
  for (u64 i = 0; i < chunks;) {
    const Tid tid = tid_of(Epoch{g_chunks[i].first});
    u64 read = 0;
    g_copier.start(g_kept + g_count);
    for (; i < chunks && tid_of(Epoch{g_chunks[i].first}) == tid; ++i) {
      read += g_chunks[i].count;
      if (read > most && read > g_chunks[i].count) break;
      copy_wanted(g_chunks[i]);
    }
    if (!g_copier.count()) continue;
    const u64 begin = g_count;
    g_count += g_copier.count();
    add_chunk(begin, g_copier.count());
  }
  g_counts.swept += before - g_count;
}

void make_room() {
  g_room = min(g_most, max(kFirstSweep, resident_bytes() / kMemoryPerKept / sizeof(LogEntry)));
  const u64 before = g_count, many = g_room / 4 * 3;
  sweep();
  const bool is_in_vain = (before - g_count) * 2 > before - min(g_after_sweep, before) || g_count > many;
  __atomic_store_n(&g_keep_one_in,
                   is_in_vain ? min(g_keep_one_in * 2, kLeastOften) : max(g_keep_one_in / 2, 1u),
                   __ATOMIC_RELAXED);
  if (g_count > many) drop_middle(g_room / 2);
  g_after_sweep = g_count;
  g_next_sweep = min(max(kGrowth * g_count, kFirstSweep), g_room);
}

} // namespace

u32 log_seek(Epoch epoch, uptr begin, u32 size) {
  for (;;) {
    u64 used = __atomic_load_n(&g_sought_used, __ATOMIC_RELAXED);
    if (!~used) return 0;
    const u32 free = u32(__builtin_ctzll(~used));
    if (!__atomic_compare_exchange_n(&g_sought_used, &used, used | 1ull << free, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
      continue;
    // Whoever lets go of entries looks again when this thread has told (wait_for_tellers).
    g_sought[free] = {begin, begin + size, epoch};
    return free + 1;
  }
}

void log_seek_ends(u32 ticket) {
  if (ticket) __atomic_fetch_and(&g_sought_used, ~(1ull << (ticket - 1)), __ATOMIC_RELEASE);
}

void log_seeks_end() { __atomic_store_n(&g_sought_used, 0, __ATOMIC_RELAXED); }

bool is_sought(const LogEntry& e, Epoch epoch) {
  for (u64 left = __atomic_load_n(&g_sought_used, __ATOMIC_ACQUIRE); left; left &= left - 1) {
    const Sought& s = g_sought[__builtin_ctzll(left)];
    if (s.epoch == epoch && address_of(e) < s.end && address_of(e) + size_of(e) > s.begin) return true;
  }
  return false;
}

void visit_sought(void (*fn)(void*, Epoch&), void* argument) {
  for (u64 left = g_sought_used; left; left &= left - 1) fn(argument, g_sought[__builtin_ctzll(left)].epoch);
}

void limit_kept(u64 most) {
  g_most = most;
  if (!most || most > g_mapped) return unmap_array();
  if (!g_kept) return;
  drop_middle(most);
  const uptr rest = round_up(uptr(g_kept + most), 4096), end = round_down(uptr(g_kept + g_mapped), 4096);
  if (rest < end) discard_pages(rest, end - rest);
  g_next_sweep = min(max(kGrowth * g_count, kFirstSweep), most);
}

u32 keep_one_in() { return __atomic_load_n(&g_keep_one_in, __ATOMIC_RELAXED); }

void keep_segment(const Segment& segment) {
  if (segment.count() > g_most || !map_array()) return;
  if (g_count + segment.count() > g_next_sweep) make_room();
  if (g_count + segment.count() > g_mapped) drop_middle(0);
  g_counts.kept += segment.count();
  copy_bytes(g_kept + g_count, segment.begin, segment.count() * sizeof(LogEntry));
  const u64 begin = g_count;
  g_count += segment.count();
  add_chunk(begin, segment.count());
}

void find_kept(WantedAccesses& wanted) {
  for (u64 i = g_chunk_count; i-- > 0 && !wanted.is_complete();) {
    const KeptChunk& c = g_chunks[i];
    if (wanted.epoch.raw >= c.first && wanted.epoch.raw <= c.last && wanted.begin < c.high &&
        wanted.end > c.low)
      wanted.look_in(segment_of(c));
  }
}

void visit_kept(void (*fn)(void*, LogEntry&), void* argument) {
  for (u64 i = 0; i < g_count; ++i) fn(argument, g_kept[i]);
  for (u64 i = 0; i < g_chunk_count; ++i) describe(g_chunks[i]);
}

void add_kept_counts(LogCounts& counts) {
  counts = g_counts;
  counts.kept_now = g_count;
}

} // namespace footrace
