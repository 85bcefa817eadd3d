// malloc and its kin; the meaning is in runtime/heap.h. In a program that has its own malloc, and gives whatever it gets to its own free, those that it
// has not are the C library's, without us.
#include "runtime/interceptors/caller.h"
#include "runtime/interceptors/own_malloc.h"

#include <errno.h>

extern "C" {
void* __libc_calloc(size_t, size_t);
void* __libc_malloc(size_t);
void* __libc_memalign(size_t, size_t);
}

using namespace footrace;

bool footrace::g_frees_with_us;

namespace {

constexpr u64 kPage = 4096;

void* aligned(Caller caller, u64 size, u64 alignment) {
  return must_be_plain() ? __libc_memalign(alignment, size) : heap_allocate(caller, size, alignment);
}
FR_INLINE void* reallocated(Caller caller, void* block, u64 size) {
  return !block && must_be_plain() ? __libc_malloc(size) : heap_reallocate(caller, block, size);
}

bool is_power_of_two(u64 x) { return x && !(x & (x - 1)); }

// glibc rounds odd alignments up.
void* allocate_aligned(Caller caller, u64 size, u64 alignment) {
  if (alignment > 1ull << 63) {
    errno = EINVAL;
    return nullptr;
  }
  return aligned(caller, size, alignment <= 16 ? 16 : 1ull << (64 - __builtin_clzll(alignment - 1)));
}

} // namespace

FR_REPLACEMENT(void*, malloc, size_t size) { return heap_allocate(FR_CALLER(), size); }
FR_REPLACEMENT(void*, calloc, size_t count, size_t size) {
  if (must_be_plain()) return __libc_calloc(count, size);
  return heap_allocate_zeroed(FR_CALLER(), count, size);
}
FR_REPLACEMENT(void*, realloc, void* block, size_t size) { return reallocated(FR_CALLER(), block, size); }
FR_REPLACEMENT(void*, reallocarray, void* block, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return reallocated(FR_CALLER(), block, bytes);
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
  void* block = aligned(FR_CALLER(), size, alignment);
  errno = saved;
  if (!block) return ENOMEM;
  *out = block;
  return 0;
}
FR_REPLACEMENT(void*, valloc, size_t size) { return aligned(FR_CALLER(), size, kPage); }
FR_REPLACEMENT(void*, pvalloc, size_t size) { return aligned(FR_CALLER(), round_up(size, kPage), kPage); }
FR_INTERCEPTOR(size_t, malloc_usable_size, void* block) {
  if (u64 size = heap_usable_size(block)) return size;
  return FR_UNLIKELY(has_own_malloc()) ? FR_REAL(malloc_usable_size)(block) : 0;
}
