// operator new and delete in every form, under their mangled names: this code does not know the C++ library.
// When memory runs out the real operator is called: it runs the new-handler and throws, or returns null, as
// it should. Its own malloc is ours. Compiled with -fexceptions so that what it throws passes through here.
// The standard's array, nothrow and sized forms call the basic form, which the program may have replaced:
// then the real ones are called, and they find the program's.
#include "runtime/heap.h"
#include "runtime/interception.h"
#include "runtime/runtime.h"

#include <errno.h>

using namespace footrace;

// The last argument of the nothrow forms is a reference that nobody reads.
using NoThrow = const void*;

#define FR_REPLACED_BY_PROGRAM(name) (&__footrace_alias_##name != &__footrace_interceptor_##name)

namespace {
FR_INLINE void delete_block(uptr pc, void* block) {
  int saved = errno;
  heap_free(pc, block);
  errno = saved;
}
} // namespace

FR_INTERCEPTOR(void*, _Znwm, size_t size) {
  void* block = heap_allocate(FR_CALLER_PC(), size);
  return FR_LIKELY(block != nullptr) ? block : FR_REAL(_Znwm)(size);
}
FR_INTERCEPTOR(void*, _Znam, size_t size) {
  void* block = FR_REPLACED_BY_PROGRAM(_Znwm) ? nullptr : heap_allocate(FR_CALLER_PC(), size);
  return FR_LIKELY(block != nullptr) ? block : FR_REAL(_Znam)(size);
}
FR_INTERCEPTOR(void*, _ZnwmRKSt9nothrow_t, size_t size, NoThrow tag) {
  void* block = FR_REPLACED_BY_PROGRAM(_Znwm) ? nullptr : heap_allocate(FR_CALLER_PC(), size);
  return FR_LIKELY(block != nullptr) ? block : FR_REAL(_ZnwmRKSt9nothrow_t)(size, tag);
}
FR_INTERCEPTOR(void*, _ZnamRKSt9nothrow_t, size_t size, NoThrow tag) {
  void* block = FR_REPLACED_BY_PROGRAM(_Znwm) ? nullptr : heap_allocate(FR_CALLER_PC(), size);
  return FR_LIKELY(block != nullptr) ? block : FR_REAL(_ZnamRKSt9nothrow_t)(size, tag);
}
FR_INTERCEPTOR(void*, _ZnwmSt11align_val_t, size_t size, size_t alignment) {
  void* block = heap_allocate(FR_CALLER_PC(), size, alignment);
  return FR_LIKELY(block != nullptr) ? block : FR_REAL(_ZnwmSt11align_val_t)(size, alignment);
}
FR_INTERCEPTOR(void*, _ZnamSt11align_val_t, size_t size, size_t alignment) {
  void* block =
      FR_REPLACED_BY_PROGRAM(_ZnwmSt11align_val_t) ? nullptr : heap_allocate(FR_CALLER_PC(), size, alignment);
  return FR_LIKELY(block != nullptr) ? block : FR_REAL(_ZnamSt11align_val_t)(size, alignment);
}
FR_INTERCEPTOR(void*, _ZnwmSt11align_val_tRKSt9nothrow_t, size_t size, size_t alignment, NoThrow tag) {
  void* block =
      FR_REPLACED_BY_PROGRAM(_ZnwmSt11align_val_t) ? nullptr : heap_allocate(FR_CALLER_PC(), size, alignment);
  return FR_LIKELY(block != nullptr) ? block
                                     : FR_REAL(_ZnwmSt11align_val_tRKSt9nothrow_t)(size, alignment, tag);
}
FR_INTERCEPTOR(void*, _ZnamSt11align_val_tRKSt9nothrow_t, size_t size, size_t alignment, NoThrow tag) {
  void* block =
      FR_REPLACED_BY_PROGRAM(_ZnwmSt11align_val_t) ? nullptr : heap_allocate(FR_CALLER_PC(), size, alignment);
  return FR_LIKELY(block != nullptr) ? block
                                     : FR_REAL(_ZnamSt11align_val_tRKSt9nothrow_t)(size, alignment, tag);
}

// A block knows its size and alignment, so all forms of delete are one.
FR_REPLACEMENT(void, _ZdlPv, void* block) { delete_block(FR_CALLER_PC(), block); }
FR_REPLACEMENT(void, _ZdlPvSt11align_val_t, void* block, size_t) { delete_block(FR_CALLER_PC(), block); }
FR_INTERCEPTOR(void, _ZdaPv, void* block) {
  if (FR_REPLACED_BY_PROGRAM(_ZdlPv)) return FR_REAL(_ZdaPv)(block);
  delete_block(FR_CALLER_PC(), block);
}
FR_INTERCEPTOR(void, _ZdlPvm, void* block, size_t size) {
  if (FR_REPLACED_BY_PROGRAM(_ZdlPv)) return FR_REAL(_ZdlPvm)(block, size);
  delete_block(FR_CALLER_PC(), block);
}
FR_INTERCEPTOR(void, _ZdaPvm, void* block, size_t size) {
  if (FR_REPLACED_BY_PROGRAM(_ZdlPv)) return FR_REAL(_ZdaPvm)(block, size);
  delete_block(FR_CALLER_PC(), block);
}
FR_INTERCEPTOR(void, _ZdlPvRKSt9nothrow_t, void* block, NoThrow tag) {
  if (FR_REPLACED_BY_PROGRAM(_ZdlPv)) return FR_REAL(_ZdlPvRKSt9nothrow_t)(block, tag);
  delete_block(FR_CALLER_PC(), block);
}
FR_INTERCEPTOR(void, _ZdaPvRKSt9nothrow_t, void* block, NoThrow tag) {
  if (FR_REPLACED_BY_PROGRAM(_ZdlPv)) return FR_REAL(_ZdaPvRKSt9nothrow_t)(block, tag);
  delete_block(FR_CALLER_PC(), block);
}
FR_INTERCEPTOR(void, _ZdaPvSt11align_val_t, void* block, size_t alignment) {
  if (FR_REPLACED_BY_PROGRAM(_ZdlPvSt11align_val_t)) return FR_REAL(_ZdaPvSt11align_val_t)(block, alignment);
  delete_block(FR_CALLER_PC(), block);
}
FR_INTERCEPTOR(void, _ZdlPvmSt11align_val_t, void* block, size_t size, size_t alignment) {
  if (FR_REPLACED_BY_PROGRAM(_ZdlPvSt11align_val_t))
    return FR_REAL(_ZdlPvmSt11align_val_t)(block, size, alignment);
  delete_block(FR_CALLER_PC(), block);
}
FR_INTERCEPTOR(void, _ZdaPvmSt11align_val_t, void* block, size_t size, size_t alignment) {
  if (FR_REPLACED_BY_PROGRAM(_ZdlPvSt11align_val_t))
    return FR_REAL(_ZdaPvmSt11align_val_t)(block, size, alignment);
  delete_block(FR_CALLER_PC(), block);
}
FR_INTERCEPTOR(void, _ZdlPvSt11align_val_tRKSt9nothrow_t, void* block, size_t alignment, NoThrow tag) {
  if (FR_REPLACED_BY_PROGRAM(_ZdlPvSt11align_val_t))
    return FR_REAL(_ZdlPvSt11align_val_tRKSt9nothrow_t)(block, alignment, tag);
  delete_block(FR_CALLER_PC(), block);
}
FR_INTERCEPTOR(void, _ZdaPvSt11align_val_tRKSt9nothrow_t, void* block, size_t alignment, NoThrow tag) {
  if (FR_REPLACED_BY_PROGRAM(_ZdlPvSt11align_val_t))
    return FR_REAL(_ZdaPvSt11align_val_tRKSt9nothrow_t)(block, alignment, tag);
  delete_block(FR_CALLER_PC(), block);
}
