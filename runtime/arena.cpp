#include "runtime/arena.h"

#include "base/platform.h"

namespace footrace {
namespace {
constexpr u64 kChunk = 256 << 10;
SpinLock g_lock;
uptr g_next, g_end;
} // namespace

void* arena_allocate(u64 size) {
  size = round_up(size, 16);
  if (size >= kChunk / 4) {
    uptr own = map_memory(size);
    FR_CHECK(own && "out of memory");
    return reinterpret_cast<void*>(own);
  }
  SpinGuard guard(g_lock);
  if (g_end - g_next < size) {
    g_next = map_memory(kChunk);
    FR_CHECK(g_next && "out of memory");
    g_end = g_next + kChunk;
  }
  uptr result = g_next;
  g_next += size;
  return reinterpret_cast<void*>(result);
}

const char* arena_copy(const char* text, u64 size) {
  auto* copy = static_cast<char*>(arena_allocate(size + 1));
  copy_bytes(copy, text, size);
  return copy;
}

} // namespace footrace
