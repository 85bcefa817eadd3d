// Where the shadow of an address lies. All planes are reserved once, at fixed addresses, without being
// resident.
//   cells    16 bytes per 8 of program memory (W and R words, check/cell.h)
//   headers   8 bytes per 512: what all their cells know, if it is the same (check/arrays.h)
//   sets, words of bytes: by number (check/readers.h, check/bytes.h)
//   meta      4 bytes per 8: index of the first synchronisation object of that word
//   hints     1 byte per 512: not zero if one of these words of meta ever was
//   blocks    1 bit per 16: a heap block starts here
// User addresses live in three windows; the low 44 bits keep them apart, so the mapping is one AND and one
// add.
#pragma once

#include "abi/shadow_layout.h"

namespace footrace {

#ifndef FOOTRACE_BLOCK_CELLS
#define FOOTRACE_BLOCK_CELLS 64 // tests explore smaller blocks
#endif
constexpr u64 kBlockCells = FOOTRACE_BLOCK_CELLS, kBlockBytes = kBlockCells * 8;

constexpr uptr kCellSize = 0x2000'0000'0000;
constexpr uptr kHeaderBase = 0x3000'0000'0000, kHeaderSize = (kAppMask + 1) / kBlockBytes * sizeof(u64);
constexpr uptr kSetBase = 0x3900'0000'0000, kSetSize = 0x4'0000'0000;
constexpr uptr kBytesBase = 0x3a00'0000'0000, kBytesSize = 0x2'0000'0000;
static_assert(kHeaderBase + kHeaderSize <= kSetBase);
constexpr uptr kMetaBase = 0x4000'0000'0000, kMetaSize = 0x0800'0000'0000;
constexpr uptr kBlockBase = 0x4800'0000'0000, kBlockSize = 0x0020'0000'0000;
constexpr uptr kHintBase = kBlockBase + kBlockSize, kHintBytes = 512, kHintSize = (kAppMask + 1) / kHintBytes;

struct Window {
  uptr begin, end;
};
// Fixed-address programs; position-independent programs and their brk heap; mmap, libraries, stacks.
constexpr Window kWindows[] = {
    {0, 0x0500'0000'0000}, {0x5500'0000'0000, 0x5700'0000'0000}, {0x7700'0000'0000, 0x8000'0000'0000}};

constexpr bool may_have_shadow(uptr address) {
  for (const Window& w : kWindows)
    if (address >= w.begin && address < w.end) return true;
  return false;
}

struct Cell;
inline Cell* cell_of(uptr address) {
  return reinterpret_cast<Cell*>(kCellBase + ((address & kAppMask & ~uptr(7)) << 1));
}
inline u32* meta_of(uptr address) {
  return reinterpret_cast<u32*>(kMetaBase + ((address & kAppMask & ~uptr(7)) >> 1));
}

// Most memory has no synchronisation objects: the hints say so without a look at meta.
inline u8* meta_hint_of(uptr address) {
  return reinterpret_cast<u8*>(kHintBase + (address & kAppMask) / kHintBytes);
}
FR_INLINE bool may_have_meta(uptr address, u64 size) { // not of many bytes
  u8 any = 0;
  for (const u8 *hint = meta_hint_of(address), *last = meta_hint_of(address + size - 1); hint <= last; ++hint)
    any |= __atomic_load_n(hint, __ATOMIC_RELAXED);
  return any;
}
// Called before a word of meta is set.
FR_INLINE void hint_at_meta(uptr address) {
  u8* hint = meta_hint_of(address);
  if (!__atomic_load_n(hint, __ATOMIC_RELAXED)) __atomic_store_n(hint, 1, __ATOMIC_RELAXED);
}

// Reserves all planes. On failure returns a message for the user that says what to do; null when done (also
// if already).
const char* reserve_shadow();

// Heap blocks, so that a report can find the block an interior address belongs to.
inline u64* block_word(uptr address) {
  return reinterpret_cast<u64*>(kBlockBase + ((address & kAppMask) >> 10 << 3)); // 64 bits of 16 bytes each
}
constexpr u64 block_bit(uptr address) { return 1ull << ((address >> 4) & 63); }
FR_COLD void change_marks(uptr start, u64 size);
// No other block starts in these bytes; a mark outlives its block. Mostly it is as it should be: a block of this size was here before.
FR_INLINE void mark_block(uptr start, u64 size) {
  const uptr last = start + size - 1;
  const u64 bit = block_bit(start), last_bit = block_bit(last),
            mine = (last_bit | (last_bit - 1)) & ~(bit - 1);
  if (FR_LIKELY(block_word(start) == block_word(last) &&
                (__atomic_load_n(block_word(start), __ATOMIC_RELAXED) & mine) == bit))
    return;
  change_marks(start, size);
}
// The nearest marked start at or below `address`, looking back at most `limit` bytes; 0 if none.
uptr find_block(uptr address, uptr limit);
// Of up to 16 bytes: a block starts in them, or one that is gone did.
FR_INLINE bool starts_heap_block(uptr address, u64 size) {
  const uptr start = (address + size - 1) & ~uptr(15);
  return start >= address && (__atomic_load_n(block_word(start), __ATOMIC_RELAXED) & block_bit(start));
}

} // namespace footrace
