#include "runtime/thread_stack.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>

extern "C" void* __libc_stack_end; // ld.so: where the first thread's stack began

namespace footrace {

namespace {

uptr g_static_tls;                         // bytes of TLS below the thread pointer
constexpr uptr kThreadControlBlock = 2304; // sizeof(struct pthread), above it

int measure_static_tls(dl_phdr_info* info, size_t, void* thread_pointer) {
  uptr block = reinterpret_cast<uptr>(info->dlpi_tls_data), tp = reinterpret_cast<uptr>(thread_pointer);
  constexpr uptr kMost = 16u << 20; // blocks of libraries loaded later lie anywhere
  if (block && block < tp && tp - block < kMost) g_static_tls = max(g_static_tls, tp - block);
  return 0;
}

void find_tls(Thread* t) {
  uptr tp = uptr(pthread_self());
  t->tls_low = tp - g_static_tls;
  t->tls_high = tp + kThreadControlBlock;
}

} // namespace

void find_stack(Thread* t) {
  int saved = errno;
  pthread_attr_t attributes;
  if (!pthread_getattr_np(pthread_self(), &attributes)) {
    void* low;
    size_t size;
    if (!pthread_attr_getstack(&attributes, &low, &size)) {
      t->stack_low = uptr(low);
      t->stack_high = uptr(low) + size;
    }
    pthread_attr_destroy(&attributes);
  }
  errno = saved;
  find_tls(t);
}

void find_main_stack(Thread* t) {
  constexpr u64 kMostStack = 64u << 20; // of an unlimited one
  rlimit64 limit = {};
  sys(SYS_prlimit64, 0, RLIMIT_STACK, 0, u64(&limit));
  t->stack_high = round_up(uptr(__libc_stack_end), 4096);
  t->stack_low = t->stack_high - min(u64(limit.rlim_cur), kMostStack);
  dl_iterate_phdr(measure_static_tls, reinterpret_cast<void*>(pthread_self()));
  find_tls(t);
}

} // namespace footrace
