// operator new and delete in every form, under their mangled names: this code does not know the C++ library.
// The array, nothrow and sized forms call the basic form, as the standard says, if the program has replaced
// it.
//
// When memory runs out the real operator is called: it runs the new-handler and throws, or returns null, as
// it should; its own malloc is ours. Compiled with -fexceptions so that what it throws passes through here.
#include "base/platform.h"
#include "runtime/interceptors/caller.h"
#include "runtime/interceptors/own_malloc.h"

#include <errno.h>
#include <sys/syscall.h>

using namespace footrace;

// The last argument of the nothrow forms is a reference that nobody reads.
using NoThrow = const void*;

// std::__throw_bad_alloc, where libstdc++ is linked into the executable and there is no other operator new.
extern "C" void throw_bad_alloc() __asm__("_ZSt17__throw_bad_allocv") __attribute__((weak));

#define FR_REPLACED_BY_PROGRAM(name) (&__footrace_alias_##name != &__footrace_interceptor_##name)
#define FR_REAL_OR_NULL(name)                                                                                \
  (real_##name ? real_##name : (real_##name = reinterpret_cast<name##_type>(real_function_or_null(#name))))

namespace {

// Null: the library's operator is called, which calls a malloc of the program's.
FR_INLINE void* allocated(Caller caller, u64 size) {
  return FR_UNLIKELY(has_own_malloc()) ? nullptr : heap_allocate(caller, size);
}
FR_INLINE void* allocated(Caller caller, u64 size, u64 alignment) {
  return FR_UNLIKELY(has_own_malloc()) ? nullptr : heap_allocate(caller, size, alignment);
}
// To the program's own free, if it has one.
FR_INLINE void release(Caller caller, void* block) {
  if (FR_UNLIKELY(&__footrace_program_free != &__footrace_interceptor_free))
    return __footrace_program_free(block);
  heap_free(caller, block);
}

FR_COLD void* no_memory() {
  if (throw_bad_alloc) throw_bad_alloc();
  constexpr char kText[] =
      "footrace: fatal: out of memory in operator new, and the program has no std::bad_alloc to throw.\n";
  write_error(kText, sizeof kText - 1);
  sys(SYS_exit_group, 1);
  __builtin_trap();
}

} // namespace

FR_INTERCEPTOR(void*, _Znwm, size_t size) {
  if (void* block = allocated(FR_CALLER(), size)) return block;
  auto real = FR_REAL_OR_NULL(_Znwm);
  return real ? real(size) : no_memory();
}
FR_INTERCEPTOR(void*, _ZnwmSt11align_val_t, size_t size, size_t alignment) {
  if (void* block = allocated(FR_CALLER(), size, alignment)) return block;
  auto real = FR_REAL_OR_NULL(_ZnwmSt11align_val_t);
  return real ? real(size, alignment) : no_memory();
}
FR_INTERCEPTOR(void*, _Znam, size_t size) {
  if (FR_REPLACED_BY_PROGRAM(_Znwm)) return __footrace_alias__Znwm(size);
  if (void* block = allocated(FR_CALLER(), size)) return block;
  auto real = FR_REAL_OR_NULL(_Znam);
  return real ? real(size) : no_memory();
}
FR_INTERCEPTOR(void*, _ZnamSt11align_val_t, size_t size, size_t alignment) {
  if (FR_REPLACED_BY_PROGRAM(_ZnwmSt11align_val_t))
    return __footrace_alias__ZnwmSt11align_val_t(size, alignment);
  if (void* block = allocated(FR_CALLER(), size, alignment)) return block;
  auto real = FR_REAL_OR_NULL(_ZnamSt11align_val_t);
  return real ? real(size, alignment) : no_memory();
}
FR_INTERCEPTOR(void*, _ZnwmRKSt9nothrow_t, size_t size, NoThrow tag) {
  auto real = FR_REAL_OR_NULL(_ZnwmRKSt9nothrow_t);
  if (FR_REPLACED_BY_PROGRAM(_Znwm)) return real ? real(size, tag) : __footrace_alias__Znwm(size);
  if (void* block = allocated(FR_CALLER(), size)) return block;
  return real ? real(size, tag) : nullptr;
}
FR_INTERCEPTOR(void*, _ZnamRKSt9nothrow_t, size_t size, NoThrow tag) {
  auto real = FR_REAL_OR_NULL(_ZnamRKSt9nothrow_t);
  if (FR_REPLACED_BY_PROGRAM(_Znwm)) return real ? real(size, tag) : __footrace_alias__Znwm(size);
  if (void* block = allocated(FR_CALLER(), size)) return block;
  return real ? real(size, tag) : nullptr;
}
FR_INTERCEPTOR(void*, _ZnwmSt11align_val_tRKSt9nothrow_t, size_t size, size_t alignment, NoThrow tag) {
  auto real = FR_REAL_OR_NULL(_ZnwmSt11align_val_tRKSt9nothrow_t);
  if (FR_REPLACED_BY_PROGRAM(_ZnwmSt11align_val_t))
    return real ? real(size, alignment, tag) : __footrace_alias__ZnwmSt11align_val_t(size, alignment);
  if (void* block = allocated(FR_CALLER(), size, alignment)) return block;
  return real ? real(size, alignment, tag) : nullptr;
}
FR_INTERCEPTOR(void*, _ZnamSt11align_val_tRKSt9nothrow_t, size_t size, size_t alignment, NoThrow tag) {
  auto real = FR_REAL_OR_NULL(_ZnamSt11align_val_tRKSt9nothrow_t);
  if (FR_REPLACED_BY_PROGRAM(_ZnwmSt11align_val_t))
    return real ? real(size, alignment, tag) : __footrace_alias__ZnwmSt11align_val_t(size, alignment);
  if (void* block = allocated(FR_CALLER(), size, alignment)) return block;
  return real ? real(size, alignment, tag) : nullptr;
}

// A block knows its size and alignment, so all forms of delete are one.
FR_REPLACEMENT(void, _ZdlPv, void* block) { release(FR_CALLER(), block); }
FR_REPLACEMENT(void, _ZdlPvSt11align_val_t, void* block, size_t) { release(FR_CALLER(), block); }
FR_REPLACEMENT(void, _ZdaPv, void* block) {
  if (FR_REPLACED_BY_PROGRAM(_ZdlPv)) return __footrace_alias__ZdlPv(block);
  release(FR_CALLER(), block);
}
FR_REPLACEMENT(void, _ZdlPvm, void* block, size_t) {
  if (FR_REPLACED_BY_PROGRAM(_ZdlPv)) return __footrace_alias__ZdlPv(block);
  release(FR_CALLER(), block);
}
FR_REPLACEMENT(void, _ZdaPvm, void* block, size_t) {
  if (FR_REPLACED_BY_PROGRAM(_ZdlPv)) return __footrace_alias__ZdlPv(block);
  release(FR_CALLER(), block);
}
FR_REPLACEMENT(void, _ZdlPvRKSt9nothrow_t, void* block, NoThrow) {
  if (FR_REPLACED_BY_PROGRAM(_ZdlPv)) return __footrace_alias__ZdlPv(block);
  release(FR_CALLER(), block);
}
FR_REPLACEMENT(void, _ZdaPvRKSt9nothrow_t, void* block, NoThrow) {
  if (FR_REPLACED_BY_PROGRAM(_ZdlPv)) return __footrace_alias__ZdlPv(block);
  release(FR_CALLER(), block);
}
FR_REPLACEMENT(void, _ZdaPvSt11align_val_t, void* block, size_t alignment) {
  if (FR_REPLACED_BY_PROGRAM(_ZdlPvSt11align_val_t))
    return __footrace_alias__ZdlPvSt11align_val_t(block, alignment);
  release(FR_CALLER(), block);
}
FR_REPLACEMENT(void, _ZdlPvmSt11align_val_t, void* block, size_t, size_t alignment) {
  if (FR_REPLACED_BY_PROGRAM(_ZdlPvSt11align_val_t))
    return __footrace_alias__ZdlPvSt11align_val_t(block, alignment);
  release(FR_CALLER(), block);
}
FR_REPLACEMENT(void, _ZdaPvmSt11align_val_t, void* block, size_t, size_t alignment) {
  if (FR_REPLACED_BY_PROGRAM(_ZdlPvSt11align_val_t))
    return __footrace_alias__ZdlPvSt11align_val_t(block, alignment);
  release(FR_CALLER(), block);
}
FR_REPLACEMENT(void, _ZdlPvSt11align_val_tRKSt9nothrow_t, void* block, size_t alignment, NoThrow) {
  if (FR_REPLACED_BY_PROGRAM(_ZdlPvSt11align_val_t))
    return __footrace_alias__ZdlPvSt11align_val_t(block, alignment);
  release(FR_CALLER(), block);
}
FR_REPLACEMENT(void, _ZdaPvSt11align_val_tRKSt9nothrow_t, void* block, size_t alignment, NoThrow) {
  if (FR_REPLACED_BY_PROGRAM(_ZdlPvSt11align_val_t))
    return __footrace_alias__ZdlPvSt11align_val_t(block, alignment);
  release(FR_CALLER(), block);
}
