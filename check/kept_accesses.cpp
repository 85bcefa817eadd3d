#include "check/kept_accesses.h"

namespace footrace {

namespace {

// A bit for each that is in use.
u64 g_sought_used;
Sought g_sought[kMostSought];

bool is_sought(const LogEntry& e, Epoch epoch) {
  for (u64 left = __atomic_load_n(&g_sought_used, __ATOMIC_ACQUIRE); left; left &= left - 1) {
    const Sought& s = g_sought[__builtin_ctzll(left)];
    if (s.epoch == epoch && address_of(e) < s.end && address_of(e) + size_of(e) > s.begin) return true;
  }
  return false;
}

struct KeptChunk {
  u64 begin; // in the array
  u32 count;
  bool stays;        // as it is, in this sweep
  Epoch first, last; // of its accesses
  uptr low, high;    // addresses; 0: nobody has asked yet
};

constexpr u64 kFirstSweep = 64 << 10; // fewer entries than this are not worth one
constexpr u64 kGrowth = 3;            // the array becomes so much longer before the next one
constexpr u64 kMemoryPerKept = 8;     // the array may have this part of the process's memory
constexpr u64 kLeastInChunk = 2;      // a place and an access
constexpr u64 kLeastNamed = 8;        // keeping pays if this part of it is named at the next sweep
constexpr u32 kLeastOften = 16;

LogEntry* g_kept; // g_mapped of them, then the chunks, then bits; the oldest first
KeptChunk* g_chunks;
u64* g_wanted;      // while it is swept: a bit for every entry
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

// Epochs never decrease from one access to the next.
void find_epochs(KeptChunk& chunk) {
  const Segment segment = segment_of(chunk);
  const auto epoch_at = [&](const LogEntry* e) {
    if (is_place(*e)) return epoch_of(*e);
    const LogEntry* place = is_access(*e) ? segment.place_of(*e) : nullptr;
    return place ? epoch_of(*place) : kNoEpoch;
  };
  const LogEntry *first = segment.begin, *last = segment.end - 1;
  while (first != last && !epoch_at(first)) ++first;
  while (last != first && !epoch_at(last)) --last;
  chunk.first = epoch_at(first), chunk.last = epoch_at(last);
}

void find_addresses(KeptChunk& chunk) {
  chunk.low = ~uptr(0), chunk.high = 0;
  const Segment segment = segment_of(chunk);
  for (const LogEntry* e = segment.begin; e < segment.end; ++e) {
    if (!is_access(*e)) continue;
    chunk.low = min(chunk.low, address_of(*e));
    chunk.high = max(chunk.high, address_of(*e) + size_of(*e));
  }
}

// They lie behind the last chunk already.
void add_chunk(u32 count) {
  KeptChunk& chunk = g_chunks[g_chunk_count++];
  chunk = {};
  chunk.begin = g_count;
  chunk.count = count;
  g_count += count;
  find_epochs(chunk);
}

// Downwards, or elsewhere.
void move_entries(LogEntry* to, const LogEntry* from, u64 count) {
  for (u64 i = 0; i < count; ++i) to[i] = from[i];
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
  move_entries(g_kept + begin, g_kept + end, g_count - end);
  for (u64 i = to; i < g_chunk_count; ++i) {
    g_chunks[i - (to - from)] = g_chunks[i];
    g_chunks[i - (to - from)].begin -= dropped;
  }
  g_chunk_count -= to - from;
  g_count -= dropped;
  g_counts.dropped += dropped;
}

// -- Sweeping

// Of the chunk that is swept.
LogEntry g_swept[kMostInChunk];
u16 g_places[kMostInChunk];
SegmentCopier g_copier;
const ThreadState* g_in_slot[kSlots]; // live ones

// Asked of the accesses of one chunk: whether the shadow still names one, or will when bytes that wait are there.
class Question {
public:
  explicit Question(const KeptChunk& chunk)
      : segment_(segment_of(chunk)), epochs_(chunk.first, chunk.last), now_(g_in_slot[tid_of(chunk.first)]) {
    // What waits is of the thread's epoch of now, and nothing is later than that.
    if (now_ && (__atomic_load_n(&now_->epoch.raw, __ATOMIC_ACQUIRE) != chunk.last.raw ||
                 !__atomic_load_n(&now_->waiting.used, __ATOMIC_ACQUIRE)))
      now_ = nullptr;
  }

  FR_INLINE bool is_wanted(const LogEntry& e) {
    // Most are accesses of a few bytes that have been made again since.
    if (FR_LIKELY(ends_in_its_cell(e)) && !epochs_.may_be_named(address_of(e)) && !now_) return false;
    if (!is_access(e)) return false;
    const LogEntry* place = segment_.place_of(e);
    const Epoch epoch = place ? epoch_of(*place) : kNoEpoch;
    if (!epoch) return false;
    return (FR_UNLIKELY(now_) && may_wait(e)) || is_named(e, epoch);
  }

private:
  FR_INLINE bool is_named(const LogEntry& e, Epoch epoch) {
    if (FR_UNLIKELY(is_long(e))) return is_long_named(e, epoch);
    return fasttrack::still_tells(address_of(e), size_of(e), kind_of(e), epoch);
  }
  // A long one that meets many conflicts is in the log as often, and asked once.
  FR_COLD bool is_long_named(const LogEntry& e, Epoch epoch) {
    if (e.what != what_ || size_of(e) != size_ || epoch != epoch_) {
      what_ = e.what, size_ = size_of(e), epoch_ = epoch;
      answer_ = fasttrack::still_names(address_of(e), size_, epoch);
    }
    return answer_;
  }
  // Bytes of its first or last granule are not in the shadow yet. If they do not wait, they are there: it is looked at afterwards.
  bool may_wait(const LogEntry& e) const {
    const auto waits = [&](uptr byte) {
      const uptr granule = byte / kGranule;
      return __atomic_load_n(&now_->waiting.slot[WaitingBytes::slot_of(granule)].granule, __ATOMIC_ACQUIRE) ==
             granule;
    };
    return waits(address_of(e)) || waits(address_of(e) + size_of(e) - 1);
  }

  const Segment segment_;
  const fasttrack::EpochRange epochs_;
  const ThreadState* now_; // the chunk's thread, if bytes wait that it has accessed in the chunk's last epoch
  u64 what_ = 0, size_ = 0;
  Epoch epoch_;
  bool answer_ = false;
};

// A loop that walks through memory comes to be one access (SegmentCopier).
bool is_of_a_walk(const LogEntry* first, const LogEntry* e) {
  constexpr i64 kBack = 8;
  for (const LogEntry* last = e; last-- > max(first, e - kBack);)
    if (last->where == e->where)
      return address_of(*e) <= address_of(*last) + size_of(*last) &&
             address_of(*last) <= address_of(*e) + size_of(*e);
  return false;
}

// By a part of the accesses: a sweep would make little room here.
bool may_stay_as_it_is(const KeptChunk& chunk, Question& question) {
  constexpr u32 kOneIn = 32, kFewest = 16;
  const Segment segment = segment_of(chunk);
  u32 asked = 0, stay = 0;
  for (const LogEntry* e = segment.begin; e < segment.end; e += kOneIn) {
    if (!is_access(*e)) continue;
    ++asked;
    stay += question.is_wanted(*e) && !is_of_a_walk(segment.begin, e);
  }
  return asked >= kFewest && stay * 2 > asked;
}

void mark_wanted(KeptChunk& chunk) {
  constexpr u32 kAhead = 16;
  Question question(chunk);
  chunk.stays = may_stay_as_it_is(chunk, question);
  if (chunk.stays) return;
  const Segment segment = segment_of(chunk);
  for (const LogEntry* e = segment.begin; e < segment.end; ++e) {
    __builtin_prefetch(cell_of(address_of(e[kAhead])));
    if (!question.is_wanted(*e)) continue;
    const u64 i = u64(e - g_kept);
    g_wanted[i / 64] |= 1ull << i % 64;
  }
}
void copy_wanted(const KeptChunk& chunk) {
  const Segment segment = {g_swept, g_swept + chunk.count};
  move_entries(g_swept, g_kept + chunk.begin, chunk.count);
  g_copier.read_from(segment, g_places);
  const bool is_anything_sought = __atomic_load_n(&g_sought_used, __ATOMIC_ACQUIRE);
  for (u64 i = chunk.begin, end = i + chunk.count; i < end; ++i) {
    if (!is_anything_sought) {
      const u64 rest = g_wanted[i / 64] >> i % 64;
      if (!rest) {
        i |= 63;
        continue;
      }
      i += u64(__builtin_ctzll(rest));
      if (i >= end) break;
    }
    const LogEntry& e = segment.begin[i - chunk.begin];
    const LogEntry* place = is_access(e) ? segment.place_of(e) : nullptr;
    if (place && (g_wanted[i / 64] >> i % 64 & 1 || is_sought(e, epoch_of(*place)))) g_copier.copy(e, *place);
  }
}

void move_last(KeptChunk chunk) {
  if (chunk.begin != g_count) move_entries(g_kept + g_count, g_kept + chunk.begin, chunk.count);
  chunk.begin = g_count;
  g_count += chunk.count;
  g_chunks[g_chunk_count++] = chunk;
}

// What is left of a chunk is never longer than it was, and moves down. Neighbours of one thread go together, as long as chunks can be told apart by age.
void sweep() {
  const u64 most = min<u64>(kMostInChunk, g_room / 32);
  const u64 before = g_count, chunks = g_chunk_count;
  find_live(g_in_slot);
  fill_bytes(g_wanted, 0, round_up(g_count, 64) / 8);
  for (u64 i = 0; i < chunks; ++i) mark_wanted(g_chunks[i]);
  wait_for_tellers();
  g_count = g_chunk_count = 0;
  for (u64 i = 0; i < chunks;) {
    if (g_chunks[i].stays) {
      move_last(g_chunks[i++]);
      continue;
    }
    const Tid tid = tid_of(g_chunks[i].first);
    u64 read = 0;
    g_copier.start(g_kept + g_count);
    for (; i < chunks && tid_of(g_chunks[i].first) == tid && !g_chunks[i].stays; ++i) {
      read += g_chunks[i].count;
      if (read > most && read > g_chunks[i].count) break;
      copy_wanted(g_chunks[i]);
    }
    if (g_copier.count()) add_chunk(g_copier.count());
  }
  g_counts.swept += before - g_count;
}

void make_room() {
  g_room = min(g_most, max(kFirstSweep, resident_bytes() / kMemoryPerKept / sizeof(LogEntry)));
  const u64 before = g_count, many = g_room / 4 * 3;
  sweep();
  const u64 young = before - min(g_after_sweep, before), named = g_count - min(g_after_sweep, g_count);
  const bool is_in_vain = named < young / kLeastNamed || g_count > many;
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
  if (segment.count() < kLeastInChunk || segment.count() > g_most || !map_array()) return;
  if (g_count + segment.count() > g_next_sweep) make_room();
  if (g_count + segment.count() > g_mapped) drop_middle(0);
  g_counts.kept += segment.count();
  move_entries(g_kept + g_count, segment.begin, segment.count());
  add_chunk(segment.count());
}

void find_kept(WantedAccesses& wanted) {
  for (u64 i = g_chunk_count; i-- > 0 && !wanted.is_complete();) {
    KeptChunk& c = g_chunks[i];
    if (wanted.epoch.raw < c.first.raw || wanted.epoch.raw > c.last.raw) continue;
    if (!c.high) find_addresses(c);
    if (wanted.begin < c.high && wanted.end > c.low) wanted.look_in(segment_of(c));
  }
}

void visit_kept(void (*fn)(void*, LogEntry&), void* argument) {
  for (u64 i = 0; i < g_count; ++i) fn(argument, g_kept[i]);
  for (u64 i = 0; i < g_chunk_count; ++i) find_epochs(g_chunks[i]);
}

void add_kept_counts(LogCounts& counts) {
  counts = g_counts;
  counts.kept_now = g_count;
}

} // namespace footrace
