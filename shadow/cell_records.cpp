#include "shadow/cell_records.h"

#include "shadow/block_parts.h"

namespace footrace {

void Records::add(RecordKind kind, u64 value, SiteId site, u64 bytes) {
  if (!value) return;
  const u32 wanted = tagged_site(kind, site);
  for (u32 i = 0; i < count; ++i)
    if (tagged[i] == wanted && epoch_bits(word[i]) == value) {
      word[i] |= bytes;
      return;
    }
  word[count] = value | bytes;
  tagged[count++] = wanted;
}

void records_of_groups(const Groups& groups, Records& out) {
  for (u32 i = 0; i < groups.count; ++i) {
    const History& h = groups.group[i].history;
    const u64 bytes = groups.group[i].mask;
    out.add(RecordKind::Write, h.W, h.w_site, bytes);
    if (h.R != h.W) out.add(RecordKind::Read, h.R, h.r_site, bytes);
    out.add(RecordKind::AtomicWrite, h.AW, h.aw_site, bytes);
    out.add(RecordKind::AtomicRead, h.AR, h.ar_site, bytes);
  }
}

namespace {

void add_to_history(History& h, u64 word, u32 tagged) {
  const u64 value = epoch_bits(word);
  const SiteId site = site_of_tagged(tagged);
  switch (kind_of_tagged(tagged)) {
  case RecordKind::Write:
    h.W = value, h.w_site = site;
    return;
  case RecordKind::Read:
    h.R = value, h.r_site = site;
    return;
  case RecordKind::AtomicWrite:
    h.AW = value, h.aw_site = site;
    return;
  case RecordKind::AtomicRead:
    h.AR = value, h.ar_site = site;
    return;
  }
}

} // namespace

void groups_of_records(const RecordBlock* b, Groups& out) {
  const RecordView records(b);
  u64 of_byte[8] = {}; // the records of a byte, one bit each
  u64 bytes = 0;
  for (u32 i = 0; i < records.count; ++i) {
    bytes |= mask_of(records.word(i));
    for (u64 left = mask_of(records.word(i)); left; left &= left - 1)
      of_byte[__builtin_ctzll(left)] |= 1ull << i;
  }
  out.count = 0;
  while (bytes) {
    const u64 its_records = of_byte[__builtin_ctzll(bytes)];
    Group& g = out.group[out.count++];
    g.history = History();
    g.mask = 0;
    for (u64 left = bytes; left; left &= left - 1)
      if (of_byte[__builtin_ctzll(left)] == its_records) g.mask |= left & -left;
    bytes &= ~g.mask;
    for (u64 left = its_records; left; left &= left - 1) {
      const u32 i = u32(__builtin_ctzll(left));
      add_to_history(g.history, records.word(i), records.tagged(i));
    }
    if (History& h = g.history; h.W && !h.R)
      h.R = h.W, h.r_site = h.w_site; // a mirror, as every write leaves one
  }
}

namespace {

// In four sizes, from one reserved arena so that 32 bits name a block.
constexpr u32 kGenerationBits = 12;
constexpr uptr kArena = 1ull << 37, kUnit = 64; // 2 Gi units
struct Pool {
  SpinLock lock;
  RecordBlock* free[kRecordClasses];
  uptr base, next;
  i64 in_use;
};
Pool g_pool;

constexpr uptr bytes_of(u32 size_class) {
  return round_up(offsetof(RecordBlock, word) + (sizeof(u64) + sizeof(u32)) * record_capacity(size_class),
                  kUnit);
}
static_assert(bytes_of(0) == 64 && bytes_of(1) == 128 && bytes_of(2) == 256 && bytes_of(3) == 448);
static_assert(record_capacity(kRecordClasses - 1) >= kMostRecords);

// At hand without a lock; counts as in use.
constexpr u32 kMostCached = 64;
struct BlockCache {
  RecordBlock* free[kRecordClasses];
  u32 count[kRecordClasses];
};
__thread BlockCache t_blocks;

RecordBlock* allocate_from_pool(u32 size_class) {
  SpinGuard guard(g_pool.lock);
  ++g_pool.in_use;
  if (RecordBlock* b = g_pool.free[size_class]) {
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
  RecordBlock* b = reinterpret_cast<RecordBlock*>(g_pool.next);
  g_pool.next += bytes_of(size_class);
  b->size_class = size_class;
  b->generation = 1;
  return b;
}

RecordBlock* allocate(u32 count) {
  u32 size_class = 0;
  while (record_capacity(size_class) < count) ++size_class;
  RecordBlock* b = t_blocks.free[size_class];
  if (!b) return allocate_from_pool(size_class);
  t_blocks.free[size_class] = b->next_free;
  --t_blocks.count[size_class];
  ++b->generation;
  return b;
}

void deallocate(RecordBlock* b) {
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

void retain(RecordBlock* b) { __atomic_fetch_add(&b->refs, 1, __ATOMIC_RELAXED); }

} // namespace

RecordBlock* new_record_block(u32 count) {
  RecordBlock* b = allocate(count);
  __atomic_store_n(&b->refs, 1, __ATOMIC_RELAXED);
  b->count = 0;
  return b;
}

void fill(RecordBlock* b, const Records& records) {
  for (u32 i = 0; i < records.count; ++i) {
    if (is_set(records.word[i])) retain_set(epoch_bits(records.word[i]));
    set_record(b, i, records.word[i], records.tagged[i]);
  }
  __atomic_store_n(&b->count, records.count, __ATOMIC_RELAXED);
}

void release_record_block(RecordBlock* b) {
  if (is_common(b) && __atomic_sub_fetch(&b->refs, 1, __ATOMIC_ACQ_REL)) return;
  for (u32 i = 0; i < b->count; ++i)
    if (is_set(b->word[i])) release_set(epoch_bits(b->word[i]));
  deallocate(b);
}

RecordBlock* record_block_of(u64 w) {
  return reinterpret_cast<RecordBlock*>(g_pool.base + ((w >> kGenerationBits) & 0xffff'ffff) * kUnit);
}
u64 word_of(const RecordBlock* b) {
  u64 unit = (reinterpret_cast<uptr>(b) - g_pool.base) / kUnit;
  return (u64(kRecordsTag) << kTidShift) | (unit << kGenerationBits) |
         (b->generation & ((1u << kGenerationBits) - 1));
}

namespace {

// What the thread remembers of the blocks it has made.
struct CommonBlock {
  u64 hash;           // of the records that were here last; 0: none
  RecordBlock* block; // has a reference; null until they are met again
  bool is_for(u64 wanted) const { return wanted && hash == wanted; }
};
constexpr u32 kCommonBlocks = 32;
__thread CommonBlock t_common[kCommonBlocks];
constexpr u32 kMostRefs = 1u << 31;

// 0: not worth remembering (atomics are each location's own).
u64 hash_of(const Records& records) {
  u64 hash = records.count;
  for (u32 i = 0; i < records.count; ++i) {
    if (kind_of_tagged(records.tagged[i]) > RecordKind::Read) return 0;
    hash = (hash ^ records.word[i] ^ u64(records.tagged[i]) << 20) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  return hash;
}

// A new reference to a remembered block with just these records; or null.
RecordBlock* take_common_block(const CommonBlock& common, u64 hash, const Records& records) {
  RecordBlock* b = common.block;
  if (!common.is_for(hash) || !b || b->count != records.count) return nullptr;
  const RecordView known(b);
  for (u32 i = 0; i < records.count; ++i)
    if (known.word(i) != records.word[i] || known.tagged(i) != records.tagged[i]) return nullptr;
  if (__atomic_load_n(&b->refs, __ATOMIC_RELAXED) >= kMostRefs) return nullptr;
  retain(b);
  return b;
}

// Remembered at the second time: what is made once should stay its cell's own.
void remember_common_block(CommonBlock& common, u64 hash, RecordBlock* b) {
  if (!hash) return;
  const bool again = common.is_for(hash);
  if (common.block) release_record_block(common.block);
  common = {hash, again ? b : nullptr};
  if (again) retain(b);
}

} // namespace

RecordBlock* block_with(const Records& records) {
  const u64 hash = hash_of(records);
  CommonBlock& common = t_common[hash % kCommonBlocks];
  if (RecordBlock* known = take_common_block(common, hash, records)) return known;
  RecordBlock* b = new_record_block(records.count);
  fill(b, records);
  remember_common_block(common, hash, b);
  return b;
}

void release_cell_caches() {
  for (CommonBlock& common : t_common) {
    if (common.block) release_record_block(common.block);
    common = {0, nullptr};
  }
  release_set_cache();
  release_joined_sites();
  SpinGuard guard(g_pool.lock);
  for (u32 c = 0; c < kRecordClasses; ++c)
    for (; t_blocks.count[c]; --t_blocks.count[c]) {
      RecordBlock* b = t_blocks.free[c];
      t_blocks.free[c] = b->next_free;
      b->next_free = g_pool.free[c];
      g_pool.free[c] = b;
      --g_pool.in_use;
    }
}

u64 record_blocks_in_use() {
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
