#include "shadow/mapping.h"

#include "base/platform.h"
#include "shadow/block.h"

#include <sys/mman.h>
#include <sys/syscall.h>

namespace footrace {

namespace {
bool g_reserved;

bool reserve(uptr base, uptr size) {
  if (!map_memory(size, base)) return false;
  sys(SYS_madvise, base, size, MADV_NOHUGEPAGE); // a sparse shadow must not become resident in 2 MiB steps
  sys(SYS_madvise, base, size, MADV_DONTDUMP);
  return true;
}

u64* block_word(uptr address) {
  return reinterpret_cast<u64*>(kBlockBase + ((address & kAppMask) >> 10 << 3)); // 64 bits of 16 bytes each
}
u64 block_bit(uptr address) { return 1ull << ((address >> 4) & 63); }
} // namespace

const char* reserve_shadow() {
  if (g_reserved) return nullptr;
  if (!reserve(kCellBase, kCellSize) || !reserve(kSiteBase, kSiteSize) || !reserve(kMetaBase, kMetaSize) ||
      !reserve(kBlockBase, kBlockSize) || !reserve(kHeaderBase, kHeaderSize))
    return "cannot reserve the shadow address space (0x1000'0000'0000 - 0x4a00'0000'0000). A limit on "
           "virtual "
           "memory (ulimit -v, RLIMIT_AS, vm.overcommit_memory=2) or another mapping is in the way; lift it "
           "and "
           "run again.";
  g_reserved = true;
  return nullptr;
}

void mark_block(uptr start) { __atomic_fetch_or(block_word(start), block_bit(start), __ATOMIC_RELAXED); }
void unmark_block(uptr start) { __atomic_fetch_and(block_word(start), ~block_bit(start), __ATOMIC_RELAXED); }

uptr find_block(uptr address, uptr limit) {
  uptr lowest = address > limit ? address - limit : 0;
  u64 below = block_bit(address) | (block_bit(address) - 1);
  for (uptr at = round_down(address, 1024);; at -= 1024) {
    if (u64 bits = __atomic_load_n(block_word(at), __ATOMIC_RELAXED) & below) {
      uptr start = at + (uptr(63 - __builtin_clzll(bits)) << 4);
      return start >= lowest ? start : 0;
    }
    below = ~0ull;
    if (at <= lowest || at < 1024) return 0;
  }
}

} // namespace footrace
