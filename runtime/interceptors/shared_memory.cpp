// shmat and sbrk: memory that comes and goes without mmap. As with mappings, what comes is fresh, and what goes conflicts with every use.
#include "check/mapping.h"
#include "runtime/interceptors/caller.h"
#include "runtime/unmapping.h"

#include <errno.h>
#include <sys/shm.h>
#include <unistd.h>

using namespace footrace;

namespace {

struct Attached {
  uptr begin;
  u64 size;
};
constexpr u32 kMost = 512; // of more, the history stays
Attached g_attached[kMost];
SpinLock g_lock;

void remember(uptr begin, u64 size) {
  SpinGuard guard(g_lock);
  for (Attached& a : g_attached)
    if (!a.begin) {
      a = {begin, size};
      return;
    }
}
u64 take(uptr begin) {
  SpinGuard guard(g_lock);
  for (Attached& a : g_attached)
    if (a.begin == begin) {
      const u64 size = a.size;
      a = {};
      return size;
    }
  return 0;
}

} // namespace

FR_INTERCEPTOR(void*, shmat, int id, const void* at, int flags) {
  void* got = FR_REAL(shmat)(id, at, flags);
  if (got == reinterpret_cast<void*>(-1) || !self()) return got;
  const int saved = errno;
  shmid_ds info;
  Thread* t = self();
  ++t->ignore;
  const bool is_known = !shmctl(id, IPC_STAT, &info);
  --t->ignore;
  errno = saved;
  const uptr begin = reinterpret_cast<uptr>(got);
  if (!is_known || !may_have_shadow(begin) || !may_have_shadow(begin + info.shm_segsz)) return got;
  Critical critical(t);
  memory_gone(begin, round_up(info.shm_segsz, 4096));
  remember(begin, round_up(info.shm_segsz, 4096));
  return got;
}
FR_INTERCEPTOR(int, shmdt, const void* at) {
  if (Thread* t = self()) {
    u64 size;
    {
      Critical critical(t);
      size = take(reinterpret_cast<uptr>(at));
    }
    if (size) check_and_forget(checked_caller(FR_CALLER()), FR_CALLER(), reinterpret_cast<uptr>(at), size);
  }
  return FR_REAL(shmdt)(at);
}

// The end of the data segment: what is given back and taken again is fresh.
FR_INTERCEPTOR(void*, sbrk, intptr_t change) {
  if (change < 0 && self()) {
    const uptr end = reinterpret_cast<uptr>(FR_REAL(sbrk)(0));
    if (u64(-change) < end && may_have_shadow(end + u64(change)))
      check_and_forget(checked_caller(FR_CALLER()), FR_CALLER(), end + u64(change), u64(-change));
  }
  return FR_REAL(sbrk)(change);
}
