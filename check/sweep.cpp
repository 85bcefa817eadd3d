#include "check/sweep.h"

#include "base/platform.h"
#include "check/bytes.h"
#include "check/readers.h"

namespace footrace {

namespace {
constexpr u32 kChunk = 64;
u32 g_set_lines = kChunk, g_byte_records = kChunk; // handed out; none has the index 0
} // namespace

Chunk take_set_lines(u32 lines) {
  const u32 count = max(lines, kChunk);
  const u32 first = __atomic_fetch_add(&g_set_lines, count, __ATOMIC_RELAXED);
  FR_CHECK(first + count <= Word::kMaxIndex && "too many sets of readers");
  return {first, first + count};
}

Chunk take_byte_records() {
  const u32 first = __atomic_fetch_add(&g_byte_records, kChunk, __ATOMIC_RELAXED);
  FR_CHECK(first + kChunk <= Word::kMaxIndex && "too many records of bytes");
  return {first, first + kChunk};
}

u64 set_lines_in_use() { return __atomic_load_n(&g_set_lines, __ATOMIC_RELAXED) - kChunk; }
u64 fasttrack::byte_records_in_use() { return __atomic_load_n(&g_byte_records, __ATOMIC_RELAXED) - kChunk; }

} // namespace footrace
