#include "shadow/cell_groups.h"

#include "shadow/block_parts.h"

namespace footrace {

namespace {

// In three sizes, from one reserved arena so that 32 bits name a block.
constexpr u32 kGenerationBits = 12;
constexpr uptr kArena = 1ull << 37, kUnit = 32; // 4 Gi units
struct Pool {
  SpinLock lock;
  GroupBlock* free[kGroupClasses];
  uptr base, next;
  i64 in_use;
};
Pool g_pool;

constexpr uptr bytes_of(u32 size_class) {
  return round_up(offsetof(GroupBlock, group) + sizeof(Group) * group_capacity(size_class), kUnit);
}

// At hand without a lock; counts as in use.
constexpr u32 kMostCached = 64;
struct BlockCache {
  GroupBlock* free[kGroupClasses];
  u32 count[kGroupClasses];
};
__thread BlockCache t_blocks;

constexpr u32 kCommonBlocks = 32;
__thread CommonBlock t_common[kCommonBlocks];
constexpr u32 kMostRefs = 1u << 31;

GroupBlock* allocate_from_pool(u32 size_class) {
  SpinGuard guard(g_pool.lock);
  ++g_pool.in_use;
  if (GroupBlock* b = g_pool.free[size_class]) {
    g_pool.free[size_class] = b->next_free;
    ++b->generation;
    return b;
  }
  if (!g_pool.base) {
    g_pool.base = g_pool.next = map_memory(kArena);
    FR_CHECK(g_pool.base && "out of memory for shadow blocks");
    g_pool.next += kUnit; // unit 0 names nothing
  }
  FR_CHECK(g_pool.next + bytes_of(size_class) <= g_pool.base + kArena && "out of memory for shadow blocks");
  GroupBlock* b = reinterpret_cast<GroupBlock*>(g_pool.next);
  g_pool.next += bytes_of(size_class);
  b->size_class = size_class;
  b->generation = 1;
  return b;
}

GroupBlock* allocate(u32 count) {
  u32 size_class = count <= 2 ? 0 : count <= 4 ? 1 : 2;
  GroupBlock* b = t_blocks.free[size_class];
  if (!b) return allocate_from_pool(size_class);
  t_blocks.free[size_class] = b->next_free;
  --t_blocks.count[size_class];
  ++b->generation;
  return b;
}

void deallocate(GroupBlock* b) {
  if (t_blocks.count[b->size_class] < kMostCached) {
    b->next_free = t_blocks.free[b->size_class];
    t_blocks.free[b->size_class] = b;
    ++t_blocks.count[b->size_class];
    return;
  }
  SpinGuard guard(g_pool.lock);
  --g_pool.in_use;
  b->next_free = g_pool.free[b->size_class];
  g_pool.free[b->size_class] = b;
}

} // namespace

GroupBlock* new_group_block(u32 count) {
  GroupBlock* b = allocate(count);
  __atomic_store_n(&b->refs, 1, __ATOMIC_RELAXED);
  return b;
}

void retain_group_block(GroupBlock* b) { __atomic_fetch_add(&b->refs, 1, __ATOMIC_RELAXED); }

void release_group_block(GroupBlock* b) {
  if (is_common(b) && __atomic_sub_fetch(&b->refs, 1, __ATOMIC_ACQ_REL)) return;
  for (u32 i = 0; i < b->count; ++i) for_each_set(b->group[i].history, release_set);
  deallocate(b);
}

GroupBlock* group_block_of(u64 w) {
  return reinterpret_cast<GroupBlock*>(g_pool.base + ((w >> kGenerationBits) & 0xffff'ffff) * kUnit);
}
u64 word_of(const GroupBlock* b) {
  u64 unit = (reinterpret_cast<uptr>(b) - g_pool.base) / kUnit;
  return (u64(kGroupsTag) << kTidShift) | (unit << kGenerationBits) |
         (b->generation & ((1u << kGenerationBits) - 1));
}

u64 hash_of_groups(const Groups& groups, Epoch now) {
  if (!now) return 0;
  u64 hash = now;
  auto add = [&](u64 value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15, hash ^= hash >> 29; };
  for (u32 i = 0; i < groups.count; ++i) {
    const History& h = groups.group[i].history;
    if (h.AW | h.AR) return 0;
    add(h.W), add(h.R);
    add(u64(h.w_site) << 32 | h.r_site);
    add(groups.group[i].mask);
  }
  return hash;
}

CommonBlock& common_block_for(u64 hash) { return t_common[hash % kCommonBlocks]; }

GroupBlock* take_common_block(const CommonBlock& common, u64 hash, const Groups& groups, Epoch now) {
  GroupBlock* b = common.block;
  if (!common.is_for(hash) || !b || b->count != groups.count || epoch_bits(b->written) != now) return nullptr;
  for (u32 i = 0; i < groups.count; ++i)
    if (b->group[i].mask != groups.group[i].mask || !(b->group[i].history == groups.group[i].history))
      return nullptr;
  if (__atomic_load_n(&b->refs, __ATOMIC_RELAXED) >= kMostRefs) return nullptr;
  retain_group_block(b);
  return b;
}

void remember_common_block(CommonBlock& common, u64 hash, GroupBlock* b) {
  if (!hash) return;
  const bool again = common.is_for(hash);
  if (common.block) release_group_block(common.block);
  common = {hash, again ? b : nullptr};
  if (again) retain_group_block(b);
}

void release_cell_caches() {
  for (CommonBlock& common : t_common) {
    if (common.block) release_group_block(common.block);
    common = {0, nullptr};
  }
  release_set_cache();
  release_joined_sites();
  SpinGuard guard(g_pool.lock);
  for (u32 c = 0; c < kGroupClasses; ++c)
    for (; t_blocks.count[c]; --t_blocks.count[c]) {
      GroupBlock* b = t_blocks.free[c];
      t_blocks.free[c] = b->next_free;
      b->next_free = g_pool.free[c];
      g_pool.free[c] = b;
      --g_pool.in_use;
    }
}

u64 group_blocks_in_use() {
  release_cell_caches();
  SpinGuard guard(g_pool.lock);
  return u64(g_pool.in_use);
}
void block_pool_lock_all() {
  g_pool.lock.lock();
  part_pool_lock_all();
}
void block_pool_unlock_all() {
  part_pool_unlock_all();
  g_pool.lock.unlock();
}

} // namespace footrace
