#include "check/mapping.h"

#include "base/platform.h"

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
} // namespace

const char* reserve_shadow() {
  if (g_reserved) return nullptr;
  if (!reserve(kCellBase, kCellSize) || !reserve(kHeaderBase, kHeaderSize) || !reserve(kSetBase, kSetSize) ||
      !reserve(kBytesBase, kBytesSize) || !reserve(kMetaBase, kMetaSize) ||
      !reserve(kBlockBase, kBlockSize) || !reserve(kHintBase, kHintSize))
    return "cannot reserve the shadow address space (0x1000'0000'0000 - 0x4a00'0000'0000). A limit on "
           "virtual "
           "memory (ulimit -v, RLIMIT_AS, vm.overcommit_memory=2) or another mapping is in the way; lift it "
           "and "
           "run again.";
  g_reserved = true;
  return nullptr;
}

static void change_word(u64* word, u64 cleared, u64 set) {
  const u64 marks = __atomic_load_n(word, __ATOMIC_RELAXED);
  if (FR_UNLIKELY(set & ~marks)) __atomic_fetch_or(word, set, __ATOMIC_RELAXED);
  if (FR_UNLIKELY(cleared & marks)) __atomic_fetch_and(word, ~cleared, __ATOMIC_RELAXED);
}

void change_marks(uptr start, u64 size) {
  const u64 bit = block_bit(start), last = block_bit(start + size - 1), up_to_last = last | (last - 1);
  u64 *first_word = block_word(start), *last_word = block_word(start + size - 1);
  const u64 behind = ~(bit | (bit - 1));
  change_word(first_word, first_word == last_word ? behind & up_to_last : behind, bit);
  if (first_word == last_word) return;
  for (u64* word = first_word + 1; word < last_word; ++word) change_word(word, ~0ull, 0);
  change_word(last_word, up_to_last, 0);
}

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
