#include "shadow/epoch_set.h"

#include "base/platform.h"
#include "shadow/open_set.h"

namespace footrace {

EpochSet** g_set_table;

namespace {

using Set = EpochSet;
constexpr u32 kIndexBits = kSetIndexBits, kGenerationBits = kSetGenerationBits;
constexpr u32 kShards = 64, kChains = 1u << 12, kClasses = 20;
constexpr uptr kChunk = 1 << 20, kArena = 1ull << 36; // reserved; resident as it fills

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
uptr g_arena, g_arena_next;
SpinLock g_table_lock; // of the three above and the table

// Memory for own sets, at hand without a lock; counts as in use.
constexpr u32 kCachedClasses = 3, kMostCached = 64;
struct Cache {
  Set* free[kCachedClasses];
  u32 count[kCachedClasses];
};
__thread Cache t_cache;

u32 class_for(u32 count) {
  u32 size_class = 0;
  while (set_capacity(size_class) < count) ++size_class;
  return size_class;
}

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

uptr take_chunk(uptr bytes) {
  SpinGuard guard(g_table_lock);
  if (!g_arena) g_arena = g_arena_next = map_memory(kArena);
  FR_CHECK(g_arena && bytes <= g_arena + kArena - g_arena_next && "out of memory for read sets");
  g_arena_next += bytes;
  return g_arena_next - bytes;
}

// Under the shard's lock.
Set* allocate(Shard& shard, u32 count) {
  u32 size_class = class_for(count);
  FR_CHECK(size_class < kClasses);
  if (Set* s = shard.free[size_class]) {
    shard.free[size_class] = s->next;
    return s;
  }
  uptr bytes = round_up(sizeof(Set) + sizeof(SetEntry) * u64(set_capacity(size_class) - 2), 16);
  if (shard.fresh_end - shard.fresh < bytes) {
    uptr chunk = max<uptr>(kChunk, bytes);
    shard.fresh = take_chunk(chunk);
    shard.fresh_end = shard.fresh + chunk;
  }
  Set* s = reinterpret_cast<Set*>(shard.fresh);
  shard.fresh += bytes;
  s->size_class = u16(size_class);
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
  s->own = s->open = false;
  s->hash = hash;
  __atomic_store_n(&s->count, n, __ATOMIC_RELAXED);
  for (u32 i = 0; i < n; ++i) s->entry[i] = e[i];
  s->refs = 1;
  s->next = *chain;
  *chain = s;
  return ref_of(s);
}

Set* take_own(u32 count) {
  u32 size_class = class_for(count);
  Set* s;
  if (size_class < kCachedClasses && t_cache.count[size_class]) {
    s = t_cache.free[size_class];
    t_cache.free[size_class] = s->next;
    --t_cache.count[size_class];
  } else {
    Shard& shard = g_shards[0];
    SpinGuard guard(shard.lock);
    s = allocate(shard, count);
    ++shard.in_use;
  }
  s->own = true;
  s->open = false;
  s->refs = 1;
  return s;
}

void free_own(Set* s) {
  if (s->size_class < kCachedClasses && t_cache.count[s->size_class] < kMostCached) {
    s->next = t_cache.free[s->size_class];
    t_cache.free[s->size_class] = s;
    ++t_cache.count[s->size_class];
    return;
  }
  Shard& shard = g_shards[0];
  SpinGuard guard(shard.lock);
  s->next = shard.free[s->size_class];
  shard.free[s->size_class] = s;
  --shard.in_use;
}

void unchain(Shard& shard, Set* s) {
  Set** link = &shard.chains[(s->hash / kShards) % kChains];
  while (*link != s) link = &(*link)->next;
  *link = s->next;
}

// The only reference is the caller's, unless somebody interns the same set at this moment.
bool make_own(Set* s) {
  if (s->own) return true;
  Shard& shard = shard_of(s->hash);
  SpinGuard guard(shard.lock);
  if (__atomic_load_n(&s->refs, __ATOMIC_RELAXED) != 1) return false;
  unchain(shard, s);
  s->own = true;
  return true;
}

void fill_own(Set* s, const SetEntry* e, u32 n) {
  ++s->generation;
  __atomic_store_n(&s->count, n, __ATOMIC_RELAXED);
  for (u32 i = 0; i < n; ++i) {
    __atomic_store_n(&s->entry[i].epoch, e[i].epoch, __ATOMIC_RELAXED);
    s->entry[i].site = e[i].site;
  }
}

// The entries of a set with another one, for a while.
class Entries {
public:
  explicit Entries(u32 most) : bytes_(sizeof(SetEntry) * u64(most)) {
    if (most <= kLocal) return;
    mapped_ = map_memory(bytes_);
    FR_CHECK(mapped_ && "out of memory for read sets");
  }
  ~Entries() {
    if (mapped_) unmap_memory(mapped_, bytes_);
  }
  SetEntry* get() { return mapped_ ? reinterpret_cast<SetEntry*>(mapped_) : local_; }

private:
  static constexpr u32 kLocal = 64;
  uptr mapped_ = 0, bytes_;
  SetEntry local_[kLocal];
};

// s with `entry` in place of its thread's, without what `seen` covers; returns the count.
u32 with_entry(const Set* s, SetEntry entry, const Clock& seen, SetEntry* out) {
  entry.life = 0;
  u32 n = 0;
  bool placed = false;
  for (u32 i = 0; i < s->count; ++i) {
    const SetEntry& e = s->entry[i];
    if (!placed && tid_of(e.epoch) >= tid_of(entry.epoch)) out[n++] = entry, placed = true;
    if (tid_of(e.epoch) == tid_of(entry.epoch) || seen.covers(e.epoch)) continue;
    out[n++] = e;
  }
  if (!placed) out[n++] = entry;
  return n;
}

constexpr u32 kSmallSet = 8;

// Only the thread's own entry is looked for: what others have done meanwhile may stay.
bool replace_entry(Set* s, SetEntry entry) {
  SetEntry* mine = entry_of_thread(s, tid_of(entry.epoch));
  if (!mine) return false;
  __atomic_store_n(&mine->epoch, entry.epoch, __ATOMIC_RELAXED);
  mine->site = entry.site;
  ++s->generation;
  return true;
}

// The common change of a small set: the thread's entry moves on and all others stay concurrent with it.
bool advance_entry(Set* s, SetEntry entry, const Clock& seen) {
  SetEntry* mine = nullptr;
  for (u32 i = 0; i < s->count; ++i) {
    SetEntry& e = s->entry[i];
    if (tid_of(e.epoch) == tid_of(entry.epoch))
      mine = &e;
    else if (seen.covers(e.epoch))
      return false;
  }
  if (!mine) return false;
  __atomic_store_n(&mine->epoch, entry.epoch, __ATOMIC_RELAXED);
  mine->site = entry.site;
  ++s->generation;
  return true;
}

void release_refs(SetRef ref, u32 n);

} // namespace

SetRef make_set(SetEntry a, SetEntry b) {
  a.life = b.life = 0;
  SetEntry both[2] = {a, b};
  if (tid_of(a.epoch) > tid_of(b.epoch)) both[0] = b, both[1] = a;
  return intern(both, 2);
}

SetRef make_own_set(SetEntry a, SetEntry b) {
  a.life = b.life = 0;
  SetEntry both[2] = {a, b};
  if (tid_of(a.epoch) > tid_of(b.epoch)) both[0] = b, both[1] = a;
  Set* s = take_own(2);
  fill_own(s, both, 2);
  return ref_of(s);
}

u64 add_to_set(SetRef ref, SetEntry entry, const Clock& seen, SiteId* single_site) {
  const Set* s = set_of(ref);
  Entries entries(s->count + 1);
  u32 n = with_entry(s, entry, seen, entries.get());
  if (n > 1) return intern(entries.get(), n);
  *single_site = entry.site;
  return entry.epoch;
}

bool may_own_set(SetRef ref) { return __atomic_load_n(&set_of(ref)->refs, __ATOMIC_ACQUIRE) == 1; }

u64 add_to_own_set(SetRef ref, SetEntry entry, const Clock& seen, SiteId* single_site) {
  Set* s = set_of(ref);
  if (!make_own(s)) return add_to_set(ref, entry, seen, single_site);
  if (s->count > kSmallSet ? replace_entry(s, entry) : advance_entry(s, entry, seen)) {
    ++s->refs;
    return ref_of(s);
  }
  Entries entries(s->count + 1);
  u32 n = with_entry(s, entry, seen, entries.get());
  if (n == 1) {
    *single_site = entry.site;
    return entry.epoch;
  }
  if (n > set_capacity(s->size_class))
    s = take_own(n);
  else
    ++s->refs;
  fill_own(s, entries.get(), n);
  return ref_of(s);
}

SetRef advance_in_own_set(SetRef ref, SetEntry entry) {
  Set* s = set_of(ref);
  return s->own && s->refs == 1 && replace_entry(s, entry) ? ref_of(s) : 0;
}

u64 make_own_copy(SetRef ref, SetEntry entry, const Clock& seen, SiteId* single_site) {
  const Set* from = set_of(ref);
  Entries entries(from->count + 1);
  u32 n = with_entry(from, entry, seen, entries.get());
  if (n == 1) {
    *single_site = entry.site;
    return entry.epoch;
  }
  Set* s = take_own(n);
  fill_own(s, entries.get(), n);
  return ref_of(s);
}

void retain_set(SetRef ref) {
  Set* s = set_of(ref);
  if (s->own)
    ++s->refs; // under the lock of its cell
  else
    __atomic_fetch_add(&s->refs, 1, __ATOMIC_RELAXED);
}

void release_set(SetRef ref) {
  Set* s = set_of(ref);
  if (!s->own) return release_refs(ref, 1);
  if (--s->refs) return;
  close_set(ref);
  free_own(s);
}

namespace {

void release_refs(SetRef ref, u32 n) {
  Set* s = set_of(ref);
  u32 refs = __atomic_load_n(&s->refs, __ATOMIC_RELAXED);
  while (refs > n)
    if (__atomic_compare_exchange_n(&s->refs, &refs, refs - n, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
      return;
  Shard& shard = shard_of(s->hash);
  SpinGuard guard(shard.lock);
  if (__atomic_sub_fetch(&s->refs, n, __ATOMIC_ACQ_REL)) return;
  unchain(shard, s);
  s->next = shard.free[s->size_class];
  shard.free[s->size_class] = s;
  --shard.in_use;
}

void forget_set_step(SetStep& step) {
  if (!step.to) return;
  if (is_set(step.from)) release_refs(step.from, step.owed + 1);
  release_refs(step.to, step.stock + 1);
  step = SetStep();
}

} // namespace

__thread SetStep t_set_steps[kSetSteps];
__thread u32 t_share_credit = kMostShareCredit, t_share_tries; // tries without credit

bool may_pay_to_share() {
  if (t_share_credit < kPriceOfSharing) return ++t_share_tries % 8 == 0;
  t_share_credit -= kPriceOfSharing;
  return true;
}

SetRef repeated_set_step(u64 from, SiteId from_site, Epoch epoch, SiteId site) {
  const SetStep& step = set_step_for(from, from_site, site);
  if (step.from != from || step.from_site != from_site || step.epoch != epoch || step.site != site) return 0;
  sharing_has_paid();
  retain_set(step.to);
  return step.to;
}

void remember_set_step(u64 from, SiteId from_site, Epoch epoch, SiteId site, SetRef to) {
  if (is_set(from) && set_of(from)->own) return;
  SetStep& step = set_step_for(from, from_site, site);
  forget_set_step(step);
  if (is_set(from)) retain_set(from);
  retain_set(to);
  step = {from, epoch, to, from_site, site, 0, 0};
}

void settle_set_step(SetStep& step) {
  if (is_set(step.from) && step.owed) release_refs(step.from, step.owed);
  step.owed = 0;
  if (step.stock) return;
  __atomic_fetch_add(&set_of(step.to)->refs, kSetStock, __ATOMIC_RELAXED);
  step.stock = kSetStock;
}

void release_set_cache() {
  for (SetStep& step : t_set_steps) forget_set_step(step);
  Shard& shard = g_shards[0];
  SpinGuard guard(shard.lock);
  for (u32 c = 0; c < kCachedClasses; ++c)
    for (; t_cache.count[c]; --t_cache.count[c]) {
      Set* s = t_cache.free[c];
      t_cache.free[c] = s->next;
      s->next = shard.free[c];
      shard.free[c] = s;
      --shard.in_use;
    }
}

u32 set_size(SetRef ref) { return set_of(ref)->count; }
const SetEntry* set_entries(SetRef ref) { return set_of(ref)->entry; }

bool set_contains(SetRef ref, Epoch epoch) {
  const SetEntry* mine = entry_of_thread(set_of(ref), tid_of(epoch));
  return mine && __atomic_load_n(&mine->epoch, __ATOMIC_RELAXED) == epoch;
}

u64 sets_in_use() {
  release_set_cache();
  i64 total = 0;
  for (Shard& shard : g_shards) {
    SpinGuard guard(shard.lock);
    total += shard.in_use;
  }
  return u64(total);
}

bool is_in_sets(uptr address) { return g_arena && address - g_arena < kArena; }

void set_pool_lock_all() {
  for (Shard& shard : g_shards) shard.lock.lock();
  g_table_lock.lock();
}
void set_pool_unlock_all() {
  g_table_lock.unlock();
  for (Shard& shard : g_shards) shard.lock.unlock();
}

} // namespace footrace
