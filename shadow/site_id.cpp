#include "shadow/site_id.h"

#include "base/platform.h"

namespace footrace {

namespace {
struct Combo {
  SiteId site[8];
};
constexpr u32 kCapacity = kSiteIndex; // index 0 is unused
constexpr u32 kBuckets = 1u << 23;

SpinLock g_lock;
Combo* g_combos; // reserved on first use, resident as it fills
u32* g_buckets;  // open addressing; 0: empty
u32 g_count;

u64 hash_of(const SiteId (&s)[8]) {
  u64 h = 0x9e3779b97f4a7c15;
  for (SiteId x : s) h = (h ^ x) * 0xff51afd7ed558ccd, h ^= h >> 29;
  return h;
}
bool same(const Combo& c, const SiteId (&s)[8]) {
  for (u32 i = 0; i < 8; ++i)
    if (c.site[i] != s[i]) return false;
  return true;
}
} // namespace

SiteId combine_sites(const SiteId (&per_byte)[8]) {
  u64 hash = hash_of(per_byte);
  // Entries are never removed, so a look-up needs no lock once the tables exist.
  if (u32* buckets = __atomic_load_n(&g_buckets, __ATOMIC_ACQUIRE))
    for (u64 i = hash;; ++i) {
      u32 index = __atomic_load_n(&buckets[i % kBuckets], __ATOMIC_ACQUIRE);
      if (!index) break;
      if (same(g_combos[index], per_byte)) return kComboSite | index;
    }
  SpinGuard guard(g_lock);
  if (!g_buckets) {
    g_combos = reinterpret_cast<Combo*>(map_memory(sizeof(Combo) * u64(kCapacity + 1)));
    u32* buckets = reinterpret_cast<u32*>(map_memory(sizeof(u32) * u64(kBuckets)));
    if (!g_combos || !buckets) return kNoSite;
    __atomic_store_n(&g_buckets, buckets, __ATOMIC_RELEASE);
  }
  u64 i = hash;
  for (; u32 index = g_buckets[i % kBuckets]; ++i)
    if (same(g_combos[index], per_byte)) return kComboSite | index;
  if (g_count == kCapacity) return kNoSite;
  u32 index = ++g_count;
  for (u32 b = 0; b < 8; ++b) g_combos[index].site[b] = per_byte[b];
  __atomic_store_n(&g_buckets[i % kBuckets], index, __ATOMIC_RELEASE);
  return kComboSite | index;
}

void site_pool_lock_all() { g_lock.lock(); }
void site_pool_unlock_all() { g_lock.unlock(); }

SiteId site_of_byte(SiteId site, u32 byte) {
  return (site & kSiteTable) == kComboSite ? g_combos[site & kSiteIndex].site[byte] : site;
}

} // namespace footrace
