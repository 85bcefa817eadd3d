// Checks of ranges and of strided elements, block by block.
#include "runtime/access.h"
#include "runtime/checked_blocks.h"
#include "runtime/mapping_cache.h"

namespace footrace {
namespace {

using fasttrack::AccessKind;
using Bits = CheckedBlocks::Bits;

// Shorter ranges are looked up faster in their cells, longer ones in the headers of their blocks.
constexpr u64 kShortestNoted = 32, kLongestNoted = 64 << 10;

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

uptr next_block(uptr address) { return round_down(address, CheckedBlocks::kBytes) + CheckedBlocks::kBytes; }

} // namespace

void drop_checked_blocks(Thread* t) {
  if (!t->checked) return;
  Critical critical(t);
  g_tables.give_back(reinterpret_cast<uptr>(t->checked), sizeof(CheckedBlocks));
  t->checked = nullptr;
}

void checked_range(Thread* t, const Access& a) {
  if (t->ignore) return;
  uptr end = a.address + a.size;
  if (a.size < kShortestNoted || a.size > kLongestNoted || !has_table(t))
    return checked_part(t, a, a.address, end);
  for (uptr from = a.address; from < end;) {
    uptr to = min(next_block(from), end);
    Bits bits = {};
    bits.set(from % CheckedBlocks::kBytes, to - from);
    unless_seen(t, from, bits, a.kind == AccessKind::Write, [&] { checked_part(t, a, from, to); });
    from = to;
  }
}

void checked_strided(Thread* t, const Access& first, u64 stride, u64 count) {
  if (t->ignore) return;
  Access a = first;
  if (stride == a.size) {
    a.size *= count;
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
      unless_seen(t, low, bits, a.kind == AccessKind::Write, [&] { check(inside); });
    }
    a.address += inside * stride;
    count -= inside;
  }
}

} // namespace footrace
