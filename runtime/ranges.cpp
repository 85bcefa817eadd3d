// Checks of ranges and of strided elements, block by block.
#include "detectors/fasttrack/block_access.h"
#include "runtime/access.h"
#include "runtime/checked_blocks.h"
#include "runtime/mapping_cache.h"
#include "runtime/seen_range.h"

namespace footrace {
namespace {

using fasttrack::AccessKind;
using Bits = CheckedBlocks::Bits;

constexpr u64 kLongestNoted = 64 << 10; // longer ranges are looked up faster in the headers of their blocks

MappingCache g_tables;

FR_COLD bool make_table(Thread* t) {
  Critical critical(t);
  auto* table = reinterpret_cast<CheckedBlocks*>(g_tables.take(sizeof(CheckedBlocks)));
  if (!table) return false;
  table->drop_all();
  t->checked = table;
  return true;
}
FR_INLINE bool has_table(Thread* t) { return FR_LIKELY(t->checked != nullptr) || make_table(t); }

// check() is called unless the thread has checked all of these bytes of the block in this epoch.
template <class Check>
FR_INLINE void unless_seen(Thread* t, uptr block, const Bits& bits, bool write, Check check) {
  {
    Critical critical(t);
    if (t->checked->has(t->epoch, block, bits, write)) return;
  }
  check();
  Critical critical(t);
  t->checked->add(t->epoch, block, bits, write);
}

bool has_whole_cells(const Access& a, u64 stride) { return !((a.address | a.size | stride) & 7); }

// Elements of whole cells in one block, as one part of it. False: nothing was done.
bool checked_together(Thread* t, const Access& first, u64 stride, u64 count) {
  u64 cells = 0;
  uptr at = first.address;
  for (u64 i = 0; i < count; ++i, at += stride) cells |= cells_between(at, at + first.size);
  if (!fasttrack::may_access_together(first.address, cells)) return false;
  // One entry of the history for all: it starts at the lowest element.
  Access all = first;
  if (i64(stride) < 0) all.address += (count - 1) * stride;
  all.size = (i64(stride) < 0 ? -stride : stride) * (count - 1) + first.size;
  u64 left = access_together(t, all, cells);
  for (; left; left &= left - 1) {
    uptr cell = block_address(first.address) + u64(__builtin_ctzll(left)) * 8;
    checked_part(t, all, cell, cell + 8);
  }
  return true;
}

uptr next_block(uptr address) { return round_down(address, CheckedBlocks::kBytes) + CheckedBlocks::kBytes; }

} // namespace

void drop_checked_blocks(Thread* t) {
  if (!t->checked) return;
  Critical critical(t);
  g_tables.give_back(reinterpret_cast<uptr>(t->checked), sizeof(CheckedBlocks));
  t->checked = nullptr;
}

namespace {

void checked_range_by_blocks(Thread* t, const Access& a) {
  uptr end = a.address + a.size;
  for (uptr from = a.address; from < end;) {
    uptr to = min(next_block(from), end);
    Bits bits = {};
    bits.set(from % CheckedBlocks::kBytes, to - from);
    unless_seen(t, from, bits, a.kind == AccessKind::Write, [&] { checked_part(t, a, from, to); });
    from = to;
  }
}

} // namespace

void checked_range(Thread* t, const Access& a) {
  if (t->ignore || !has_table(t)) return checked_access(t, a.address, a.size, a.kind, a.site);
  const uptr end = a.address + a.size;
  const bool write = a.kind == AccessKind::Write;
  if (a.size < kShortestNoted) return checked_part(t, a, a.address, end);
  if (a.size > kLongestNoted)
    checked_part(t, a, a.address, end);
  else
    checked_range_by_blocks(t, a);
  Critical critical(t);
  t->checked->add_range(t->epoch, a.address, end, write);
}

void checked_strided(Thread* t, const Access& first, u64 stride, u64 count) {
  if (t->ignore) return;
  Access a = first;
  if (stride == a.size) {
    a.size *= count;
    const bool write = a.kind == AccessKind::Write;
    if (has_seen_short_range(t, a.address, a.size, write)) return;
    if (has_checked_range(t, a.address, a.size, write)) return;
    return checked_range(t, a);
  }
  bool noted = has_table(t);
  while (count) {
    // The elements that lie in the block of the next one.
    uptr low = round_down(a.address, CheckedBlocks::kBytes), high = next_block(a.address);
    Bits bits = {};
    u64 inside = 0;
    for (uptr at = a.address; inside < count && at >= low && at + a.size <= high; at += stride, ++inside)
      bits.set(at - low, a.size);
    auto check = [&](u64 elements) {
      Access element = a;
      for (u64 i = 0; i < elements; ++i, element.address += stride)
        checked_part(t, element, element.address, element.address + element.size);
    };
    if (!inside || !noted) { // it crosses into the next block
      inside = 1;
      check(1);
    } else {
      unless_seen(t, low, bits, a.kind == AccessKind::Write, [&] {
        if (!(has_whole_cells(a, stride) && inside > 1 && checked_together(t, a, stride, inside)))
          check(inside);
      });
    }
    a.address += inside * stride;
    count -= inside;
  }
}

} // namespace footrace
