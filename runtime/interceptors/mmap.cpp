// Mappings. The program may only have memory where the shadow can follow (kWindows); a new mapping starts
// without history, and unmapping is a write to all of it. mprotect and madvise change nothing that the
// detector knows.
#include "check/mapping.h"
#include "runtime/interceptors/caller.h"
#include "runtime/unmapping.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/types.h>

using namespace footrace;

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace {

bool has_shadow_everywhere(uptr begin, u64 size) {
  if (begin + size < begin) return false;
  for (const Window& w : kWindows)
    if (begin >= w.begin && begin + size <= w.end) return true;
  return false;
}

void* no_memory() {
  errno = ENOMEM;
  return MAP_FAILED;
}

FR_COLD void explain_fixed_mapping() {
  static u8 told;
  if (__atomic_exchange_n(&told, u8(1), __ATOMIC_RELAXED)) return;
  constexpr char kText[] = "footrace: warning: a fixed mapping (MAP_FIXED) was refused with ENOMEM: its "
                           "address belongs to Footrace's shadow "
                           "memory. Let the kernel choose the address, or use one below 0x50000000000.\n";
  write_error(kText, sizeof kText - 1);
}

using MapFunction = void* (*)(void*, size_t, int, int, int, off_t);

FR_INLINE void* map(MapFunction real, void* at, size_t size, int protection, int flags, int fd,
                    off_t offset) {
  if (!self()) return real(at, size, protection, flags, fd, offset);
  uptr wanted = reinterpret_cast<uptr>(at);
  u64 whole = round_up(size, 4096);
  if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) {
    if (!has_shadow_everywhere(wanted, whole)) {
      explain_fixed_mapping();
      return no_memory();
    }
    // What was there goes without a check: loaders and allocators lay segments over their own reservation.
    if (!(flags & MAP_FIXED_NOREPLACE)) memory_gone(wanted, whole);
  }
  void* got = real(at, size, protection, flags, fd, offset);
  if (got == MAP_FAILED) return got;
  if (!has_shadow_everywhere(reinterpret_cast<uptr>(got), whole)) { // the hint was followed
    unmap_memory(reinterpret_cast<uptr>(got), whole);
    got = real(nullptr, size, protection, flags, fd, offset);
    if (got == MAP_FAILED) return got;
    if (!has_shadow_everywhere(reinterpret_cast<uptr>(got), whole)) {
      unmap_memory(reinterpret_cast<uptr>(got), whole);
      return no_memory();
    }
  }
  // Also here: a stray access between another thread's forgetting and its unmapping leaves a mark behind.
  memory_gone(reinterpret_cast<uptr>(got), whole);
  return got;
}

} // namespace

FR_INTERCEPTOR(void*, mmap, void* at, size_t size, int protection, int flags, int fd, off_t offset) {
  return map(FR_REAL(mmap), at, size, protection, flags, fd, offset);
}
FR_INTERCEPTOR(void*, mmap64, void* at, size_t size, int protection, int flags, int fd, off_t offset) {
  return map(FR_REAL(mmap64), at, size, protection, flags, fd, offset);
}

FR_INTERCEPTOR(int, munmap, void* at, size_t size) {
  uptr begin = reinterpret_cast<uptr>(at);
  u64 whole = round_up(size, 4096);
  // A call that the kernel is going to refuse must not be taken for a free.
  if (self() && begin % 4096 == 0 && size && has_shadow_everywhere(begin, whole))
    check_and_forget(checked_caller(FR_CALLER()), FR_CALLER(), begin, whole);
  return FR_REAL(munmap)(at, size);
}

FR_INTERCEPTOR(void*, mremap, void* old, size_t old_size, size_t new_size, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  void* wanted = flags & MREMAP_FIXED ? va_arg(arguments, void*) : nullptr;
  va_end(arguments);
  auto real = FR_REAL(mremap);
  if (!self()) return real(old, old_size, new_size, flags, wanted);

  Thread* judged = checked_caller(FR_CALLER());
  uptr begin = reinterpret_cast<uptr>(old);
  u64 from = round_up(old_size, 4096), to = round_up(new_size, 4096);
  if (!has_shadow_everywhere(begin, from)) return real(old, old_size, new_size, flags, wanted);
  if (flags & MREMAP_FIXED) {
    if (!has_shadow_everywhere(reinterpret_cast<uptr>(wanted), to)) {
      explain_fixed_mapping();
      return no_memory();
    }
    memory_gone(reinterpret_cast<uptr>(wanted), to);
  } else {
    // In place: what stays keeps its history.
    if (to < from) check_and_forget(judged, FR_CALLER(), begin + to, from - to);
    int saved = errno;
    void* got = real(old, old_size, new_size, flags & ~MREMAP_MAYMOVE, nullptr);
    if (got != MAP_FAILED) {
      if (to > from) memory_gone(begin + from, to - from);
      return got;
    }
    if (!(flags & MREMAP_MAYMOVE)) return got;
    errno = saved;
  }
  // A move is a free of the old place. If it fails the history of the old place is lost: a miss, never a
  // false alarm.
  check_and_forget(judged, FR_CALLER(), begin, from);
  void* got = real(old, old_size, new_size, flags, wanted);
  if (got != MAP_FAILED) memory_gone(reinterpret_cast<uptr>(got), to);
  return got;
}
