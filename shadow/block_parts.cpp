#include "shadow/block_parts.h"

namespace footrace {

namespace {

struct Record {
  u64 generation;
  union {
    u64 count;
    Record* next_free;
  };
  u64 own;
  Part part[kMostParts];
};

// Reserved once, so that a number names a record.
constexpr uptr kArena = 1ull << 36;
struct Pool {
  SpinLock lock;
  Record* free;
  uptr base, next;
  u64 in_use;
};
Pool g_pool;

Record* new_record() {
  SpinGuard guard(g_pool.lock);
  ++g_pool.in_use;
  if (Record* r = g_pool.free) {
    g_pool.free = r->next_free;
    return r;
  }
  if (!g_pool.base) g_pool.base = g_pool.next = map_memory(kArena);
  FR_CHECK(g_pool.base && g_pool.next + sizeof(Record) <= g_pool.base + kArena &&
           "out of memory for parts of shadow blocks");
  auto* r = reinterpret_cast<Record*>(g_pool.next);
  g_pool.next += sizeof(Record);
  return r;
}

void free_record(Record* r) {
  SpinGuard guard(g_pool.lock);
  --g_pool.in_use;
  r->next_free = g_pool.free;
  g_pool.free = r;
}

// W has the generation, R the number of the record; neither can be an epoch.
Record* record_of(Cell words) {
  return reinterpret_cast<Record*>(g_pool.base) + (words.R & ((1ull << kTidShift) - 1));
}
Cell words_of(const Record* r) {
  u64 number = u64(r - reinterpret_cast<Record*>(g_pool.base));
  return {kPartedWord | (r->generation & ((1ull << kTidShift) - 1)), kPartedWord | number};
}

void write_part(Part& to, const Part& p) {
  __atomic_store_n(&to.cells, p.cells, __ATOMIC_RELAXED);
  __atomic_store_n(&to.W, p.W, __ATOMIC_RELAXED);
  __atomic_store_n(&to.R, p.R, __ATOMIC_RELAXED);
  to.w_site = p.w_site, to.r_site = p.r_site;
}

void write_record(Record* r, const Parts& parts) {
  ++r->generation;
  for (u32 i = 0; i < parts.count; ++i) write_part(r->part[i], parts.part[i]);
  __atomic_store_n(&r->count, parts.count, __ATOMIC_RELAXED);
  r->own = parts.own;
}

// A parted header for these parts, in the record of the old one if it had any.
Cell words_for(Cell old, const Parts& parts) {
  Record* r = state_of(old.W) == BlockState::Parted ? record_of(old) : new_record();
  write_record(r, parts);
  return words_of(r);
}

} // namespace

void retain_part(const Part& p) {
  if (is_set(epoch_bits(p.R))) retain_set(epoch_bits(p.R));
}
void release_part(const Part& p) {
  if (is_set(epoch_bits(p.R))) release_set(epoch_bits(p.R));
}

void copy_parts(Cell words, Parts& out) {
  const Record* r = record_of(words);
  out.count = 0;
  for (u32 i = 0; i < r->count; ++i) out.add(r->part[i]);
  out.own = r->own;
}
u64 own_cells(Cell words) { return record_of(words)->own; }
void free_parts(Cell words) { free_record(record_of(words)); }

bool lock_parts(uptr block, Cell words, Parts& out) {
  out.count = 0;
  out.own = 0;
  if (state_of(words.W) == BlockState::Parted) {
    if (!swap_cell(&header_of(block)->state, words.W, words.R, kLockedWord, words.R)) return false;
    copy_parts(words, out);
    return true;
  }
  CoarseState state = {words, kNoSite, kNoSite};
  if (!lock_coarse(block, state)) return false;
  if (!asks_header(words)) out.add(part_of(kAllCells, state));
  return true;
}

namespace {
// The smallest part becomes cells.
void evict(uptr block, Parts& parts) {
  Part* least = parts.part;
  for (u32 i = 1; i < parts.count; ++i)
    if (__builtin_popcountll(parts.part[i].cells) < __builtin_popcountll(least->cells))
      least = parts.part + i;
  materialise_part(block, *least);
  parts.own |= least->cells;
  *least = parts.part[--parts.count];
}
} // namespace

void publish_parts(uptr block, Cell words, const Parts& before, Parts& parts) {
  const bool had_record = state_of(words.W) == BlockState::Parted;
  while (parts.count > kMostParts) evict(block, parts);
  if (parts.own == kAllCells) {
    publish_header(header_of(block), kFineWord, 0);
  } else if (!parts.count && !parts.own) {
    publish_coarse(block, {{0, 0}, kNoSite, kNoSite});
  } else if (parts.count == 1 && parts.part[0].cells == kAllCells) {
    publish_coarse(block, parts.part[0].state());
  } else {
    Cell now = words_for(words, parts);
    publish_header(header_of(block), now.W, now.R);
    for (u32 i = 0; i < before.count; ++i) release_part(before.part[i]);
    return;
  }
  for (u32 i = 0; i < before.count; ++i) release_part(before.part[i]);
  if (had_record) free_parts(words);
}

void unlock_parts(uptr block, Cell words) { publish_header(header_of(block), words.W, words.R); }

void join_equal(Parts& parts) {
  for (u32 i = 0; i < parts.count; ++i)
    for (u32 j = i + 1; j < parts.count; ++j)
      if (parts.part[i].same_state(parts.part[j])) {
        parts.part[i].cells |= parts.part[j].cells;
        release_part(parts.part[j]);
        parts.part[j--] = parts.part[--parts.count];
      }
}

u64 cells_with_epoch(const BlockHeader* header, Cell words, Epoch epoch, bool write) {
  const Record* r = record_of(words);
  u64 count = min<u64>(__atomic_load_n(&r->count, __ATOMIC_RELAXED), kMostParts), found = 0;
  for (u64 i = 0; i < count; ++i) {
    const Part& p = r->part[i];
    u64 w = __atomic_load_n(&p.W, __ATOMIC_RELAXED), reads = __atomic_load_n(&p.R, __ATOMIC_RELAXED);
    bool mine = same_epoch(w, epoch, kMaskBits) || (!write && same_epoch(reads, epoch, kMaskBits)) ||
                (!write && is_set(epoch_bits(reads)) && set_contains(epoch_bits(reads), epoch));
    if (mine) found |= __atomic_load_n(&p.cells, __ATOMIC_RELAXED);
  }
  return still_holds(&header->state.W, words.W) ? found : 0;
}

u64 forget_cells(uptr block, u64 cells) {
  const BlockHeader* header = header_of(block);
  for (u32 spins = 0;;) {
    Cell words = load_words(&header->state);
    BlockState at = state_of(words.W);
    if (at == BlockState::Fine) return cells;
    if (asks_header(words)) return 0;
    if (at == BlockState::Locked) {
      pause_for(spins);
      continue;
    }
    Parts before, after;
    if (!lock_parts(block, words, before)) continue;
    for (u32 i = 0; i < before.count; ++i) {
      Part rest = before.part[i];
      if (!(rest.cells &= ~cells)) continue;
      retain_part(rest);
      after.add(rest);
    }
    after.own = before.own;
    publish_parts(block, words, before, after);
    return cells & before.own;
  }
}

u64 part_records_in_use() {
  SpinGuard guard(g_pool.lock);
  return g_pool.in_use;
}
void part_pool_lock_all() { g_pool.lock.lock(); }
void part_pool_unlock_all() { g_pool.lock.unlock(); }
bool is_in_part_records(uptr address) { return g_pool.base && address - g_pool.base < kArena; }

} // namespace footrace
