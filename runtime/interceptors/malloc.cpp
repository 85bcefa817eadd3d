// malloc and its kin; the meaning is in runtime/heap.h.
#include "runtime/heap.h"
#include "runtime/interceptors/caller.h"

#include <errno.h>

using namespace footrace;

namespace {

constexpr u64 kPage = 4096;
bool is_power_of_two(u64 x) { return x && !(x & (x - 1)); }

// glibc rounds odd alignments up.
void* allocate_aligned(Caller caller, u64 size, u64 alignment) {
  if (alignment > 1ull << 63) {
    errno = EINVAL;
    return nullptr;
  }
  return heap_allocate(caller, size, alignment <= 16 ? 16 : 1ull << (64 - __builtin_clzll(alignment - 1)));
}

} // namespace

FR_REPLACEMENT(void*, malloc, size_t size) { return heap_allocate(FR_CALLER(), size); }
FR_REPLACEMENT(void*, calloc, size_t count, size_t size) {
  return heap_allocate_zeroed(FR_CALLER(), count, size);
}
FR_REPLACEMENT(void*, realloc, void* block, size_t size) { return heap_reallocate(FR_CALLER(), block, size); }
FR_REPLACEMENT(void*, reallocarray, void* block, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return heap_reallocate(FR_CALLER(), block, bytes);
}
FR_REPLACEMENT(void, free, void* block) { heap_free(FR_CALLER(), block); }
FR_REPLACEMENT(void, cfree, void* block) { heap_free(FR_CALLER(), block); }

FR_REPLACEMENT(void*, memalign, size_t alignment, size_t size) {
  return allocate_aligned(FR_CALLER(), size, alignment);
}
FR_REPLACEMENT(void*, aligned_alloc, size_t alignment, size_t size) {
  return allocate_aligned(FR_CALLER(), size, alignment);
}
FR_REPLACEMENT(int, posix_memalign, void** out, size_t alignment, size_t size) {
  if (alignment % sizeof(void*) || !is_power_of_two(alignment)) return EINVAL;
  int saved = errno;
  void* block = heap_allocate(FR_CALLER(), size, alignment);
  errno = saved;
  if (!block) return ENOMEM;
  *out = block;
  return 0;
}
FR_REPLACEMENT(void*, valloc, size_t size) { return heap_allocate(FR_CALLER(), size, kPage); }
FR_REPLACEMENT(void*, pvalloc, size_t size) {
  return heap_allocate(FR_CALLER(), round_up(size, kPage), kPage);
}
FR_REPLACEMENT(size_t, malloc_usable_size, void* block) { return heap_usable_size(block); }
