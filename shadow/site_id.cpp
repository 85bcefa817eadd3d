#include "shadow/site_id.h"

#include "base/platform.h"

namespace footrace {

namespace {
struct Combo {
  SiteId site[8];
};
constexpr u32 kCapacity = kSiteIndex; // index 0 is unused

// Open addressing; 0: empty. Dense, because it is asked at random: it starts small and grows, and who reads an older one only misses what is new.
struct Buckets {
  u64 mask;
  u32 slot[1]; // and more
};
constexpr u64 kFirstBuckets = 1u << 12, kMostBuckets = 1u << 24;

SpinLock g_lock;
Combo* g_combos; // reserved on first use, resident as it fills
Buckets* g_buckets;
u32 g_count;

// Four multiplications side by side.
u64 hash_of(const SiteId (&s)[8]) {
  constexpr u64 factors[] = {0x9e3779b97f4a7c15, 0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53, 0xd6e8feb86659fd93};
  u64 h = 0;
  for (u32 i = 0; i < 4; ++i) h += (u64(s[2 * i]) << 32 | s[2 * i + 1]) * factors[i];
  return (h ^ h >> 32) * factors[0] >> 16;
}
bool same(const Combo& c, const SiteId (&s)[8]) {
  for (u32 i = 0; i < 8; ++i)
    if (c.site[i] != s[i]) return false;
  return true;
}

u32 find(const Buckets& buckets, const SiteId (&per_byte)[8], u64 hash) {
  for (u64 i = hash;; ++i) {
    const u32 index = __atomic_load_n(&buckets.slot[i & buckets.mask], __ATOMIC_ACQUIRE);
    if (!index || same(g_combos[index], per_byte)) return index;
  }
}
void put(Buckets& buckets, u64 hash, u32 index) {
  u64 i = hash;
  while (buckets.slot[i & buckets.mask]) ++i;
  __atomic_store_n(&buckets.slot[i & buckets.mask], index, __ATOMIC_RELEASE);
}

// Under the lock: room for one more. Readers may still be in the old table, so it stays; all of them together are smaller than the last one.
bool has_room() {
  const u64 size = g_buckets ? g_buckets->mask + 1 : 0;
  if (g_count < size / 2) return true;
  if (g_count == kCapacity) return false;
  if (!g_combos) g_combos = reinterpret_cast<Combo*>(map_memory(sizeof(Combo) * u64(kCapacity + 1)));
  const u64 larger = size ? size * 4 : kFirstBuckets;
  if (larger > kMostBuckets) return size != 0;
  auto* buckets = reinterpret_cast<Buckets*>(map_memory(sizeof(Buckets) + sizeof(u32) * larger));
  if (!g_combos || !buckets) return false;
  buckets->mask = larger - 1;
  for (u32 index = 1; index <= g_count; ++index) put(*buckets, hash_of(g_combos[index].site), index);
  __atomic_store_n(&g_buckets, buckets, __ATOMIC_RELEASE);
  return true;
}

} // namespace

SiteId combine_sites(const SiteId (&per_byte)[8]) {
  const u64 hash = hash_of(per_byte);
  // Entries are never removed, so most look-ups need no lock.
  if (const Buckets* buckets = __atomic_load_n(&g_buckets, __ATOMIC_ACQUIRE))
    if (u32 index = find(*buckets, per_byte, hash)) return kComboSite | index;
  SpinGuard guard(g_lock);
  if (g_buckets)
    if (u32 index = find(*g_buckets, per_byte, hash)) return kComboSite | index;
  if (!has_room()) return kNoSite;
  const u32 index = ++g_count;
  for (u32 b = 0; b < 8; ++b) g_combos[index].site[b] = per_byte[b];
  put(*g_buckets, hash, index);
  return kComboSite | index;
}

void site_pool_lock_all() { g_lock.lock(); }
void site_pool_unlock_all() { g_lock.unlock(); }

SiteId site_of_byte(SiteId site, u32 byte) {
  return (site & kSiteTable) == kComboSite ? g_combos[site & kSiteIndex].site[byte] : site;
}

} // namespace footrace
