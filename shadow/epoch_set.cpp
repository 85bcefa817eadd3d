#include "shadow/epoch_set.h"

#include "base/platform.h"

namespace footrace {

EpochSet** g_set_table;

namespace {

using Set = EpochSet;
constexpr u32 kIndexBits = kSetIndexBits, kGenerationBits = kSetGenerationBits;
constexpr u32 kShards = 64, kChains = 1u << 14, kClasses = 20;
constexpr uptr kChunk = 1 << 20;

// One shard per content hash: chains, free memory and the lock that covers them.
struct Shard {
  SpinLock lock;
  Set** chains; // kChains
  Set* free[kClasses];
  uptr fresh, fresh_end;
  i64 in_use;
};
Shard g_shards[kShards];
u32 g_next_index;
SpinLock g_table_lock;

u32 capacity(u32 size_class) { return 2u << size_class; }

u32 hash_of(const SetEntry* e, u32 n) {
  u64 h = n;
  for (u32 i = 0; i < n; ++i) {
    h = (h ^ e[i].epoch) * 0xff51afd7ed558ccd;
    h = (h ^ (h >> 32) ^ e[i].site) * 0xc4ceb9fe1a85ec53;
  }
  return u32(h ^ (h >> 29));
}

bool same(const Set* s, const SetEntry* e, u32 n) {
  if (s->count != n) return false;
  for (u32 i = 0; i < n; ++i)
    if (s->entry[i].epoch != e[i].epoch || s->entry[i].site != e[i].site) return false;
  return true;
}

SetRef ref_of(const Set* s) {
  return (u64(kSetTag) << kTidShift) | (u64(s->index) << (8 + kGenerationBits)) |
         (u64(s->generation & ((1u << kGenerationBits) - 1)) << 8);
}
Shard& shard_of(u32 hash) { return g_shards[hash % kShards]; }

// Under the shard's lock.
Set* allocate(Shard& shard, u32 count) {
  u32 size_class = 0;
  while (capacity(size_class) < count) ++size_class;
  FR_CHECK(size_class < kClasses);
  if (Set* s = shard.free[size_class]) {
    shard.free[size_class] = s->next;
    return s;
  }
  uptr bytes = round_up(sizeof(Set) + sizeof(SetEntry) * u64(capacity(size_class) - 2), 16);
  if (shard.fresh_end - shard.fresh < bytes) {
    uptr chunk = max<uptr>(kChunk, bytes);
    shard.fresh = map_memory(chunk);
    FR_CHECK(shard.fresh && "out of memory for read sets");
    shard.fresh_end = shard.fresh + chunk;
  }
  Set* s = reinterpret_cast<Set*>(shard.fresh);
  shard.fresh += bytes;
  s->size_class = size_class;
  SpinGuard guard(g_table_lock);
  if (!g_set_table) {
    g_set_table = reinterpret_cast<Set**>(map_memory(sizeof(Set*) << kIndexBits));
    FR_CHECK(g_set_table && "out of memory for read sets");
  }
  FR_CHECK(g_next_index + 1 < (1u << kIndexBits) && "too many read sets");
  s->index = ++g_next_index;
  __atomic_store_n(&g_set_table[s->index], s, __ATOMIC_RELEASE);
  return s;
}

SetRef intern(const SetEntry* e, u32 n) {
  u32 hash = hash_of(e, n);
  Shard& shard = shard_of(hash);
  SpinGuard guard(shard.lock);
  if (!shard.chains) {
    shard.chains = reinterpret_cast<Set**>(map_memory(sizeof(Set*) * kChains));
    FR_CHECK(shard.chains && "out of memory for read sets");
  }
  Set** chain = &shard.chains[(hash / kShards) % kChains];
  for (Set* s = *chain; s; s = s->next)
    if (s->hash == hash && same(s, e, n)) {
      __atomic_fetch_add(&s->refs, 1, __ATOMIC_RELAXED);
      return ref_of(s);
    }
  Set* s = allocate(shard, n);
  ++shard.in_use;
  ++s->generation;
  s->hash = hash;
  __atomic_store_n(&s->count, n, __ATOMIC_RELAXED);
  for (u32 i = 0; i < n; ++i) s->entry[i] = e[i];
  s->refs = 1;
  s->next = *chain;
  *chain = s;
  return ref_of(s);
}

} // namespace

SetRef make_set(SetEntry a, SetEntry b) {
  a.reserved = b.reserved = 0;
  SetEntry both[2] = {a, b};
  if (tid_of(a.epoch) > tid_of(b.epoch)) both[0] = b, both[1] = a;
  return intern(both, 2);
}

u64 add_to_set(SetRef ref, SetEntry entry, const Clock& seen, SiteId* single_site) {
  const Set* s = set_of(ref);
  SetEntry local[64];
  SetEntry* out = local;
  uptr mapped = 0, bytes = sizeof(SetEntry) * u64(s->count + 1);
  if (s->count + 1 > 64) {
    mapped = map_memory(bytes);
    FR_CHECK(mapped && "out of memory for read sets");
    out = reinterpret_cast<SetEntry*>(mapped);
  }
  entry.reserved = 0;
  u32 n = 0;
  bool placed = false;
  for (u32 i = 0; i < s->count; ++i) {
    const SetEntry& e = s->entry[i];
    if (!placed && tid_of(e.epoch) >= tid_of(entry.epoch)) out[n++] = entry, placed = true;
    if (tid_of(e.epoch) == tid_of(entry.epoch) || seen.covers(e.epoch)) continue;
    out[n++] = e;
  }
  if (!placed) out[n++] = entry;
  u64 result;
  if (n == 1) {
    *single_site = entry.site;
    result = entry.epoch;
  } else {
    result = intern(out, n);
  }
  if (mapped) unmap_memory(mapped, bytes);
  return result;
}

void retain_set(SetRef ref) { __atomic_fetch_add(&set_of(ref)->refs, 1, __ATOMIC_RELAXED); }

void release_set(SetRef ref) {
  Set* s = set_of(ref);
  u32 refs = __atomic_load_n(&s->refs, __ATOMIC_RELAXED);
  while (refs > 1)
    if (__atomic_compare_exchange_n(&s->refs, &refs, refs - 1, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
      return;
  Shard& shard = shard_of(s->hash);
  SpinGuard guard(shard.lock);
  if (__atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL)) return;
  Set** link = &shard.chains[(s->hash / kShards) % kChains];
  while (*link != s) link = &(*link)->next;
  *link = s->next;
  s->next = shard.free[s->size_class];
  shard.free[s->size_class] = s;
  --shard.in_use;
}

u32 set_size(SetRef ref) { return set_of(ref)->count; }
const SetEntry* set_entries(SetRef ref) { return set_of(ref)->entry; }

bool set_contains(SetRef ref, Epoch epoch) {
  Set* s = set_of(ref);
  // The memory may be in other use by now: stay within its capacity, whatever the count says.
  u32 high = min(__atomic_load_n(&s->count, __ATOMIC_RELAXED), capacity(s->size_class)), low = 0;
  while (low < high) {
    u32 middle = (low + high) / 2;
    Epoch e = __atomic_load_n(&s->entry[middle].epoch, __ATOMIC_RELAXED);
    if (tid_of(e) < tid_of(epoch))
      low = middle + 1;
    else if (tid_of(e) > tid_of(epoch))
      high = middle;
    else
      return e == epoch;
  }
  return false;
}

u64 sets_in_use() {
  i64 total = 0;
  for (Shard& shard : g_shards) {
    SpinGuard guard(shard.lock);
    total += shard.in_use;
  }
  return u64(total);
}

void set_pool_lock_all() {
  for (Shard& shard : g_shards) shard.lock.lock();
  g_table_lock.lock();
}
void set_pool_unlock_all() {
  g_table_lock.unlock();
  for (Shard& shard : g_shards) shard.lock.unlock();
}

} // namespace footrace
