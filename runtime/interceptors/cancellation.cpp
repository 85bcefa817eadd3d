// Asynchronous cancellation. Problem: it unwinds a thread from wherever it is, and that may be inside the
// runtime, with the runtime's locks. Algorithm: for glibc every thread stays of the deferred type, and its
// own cancel signal never unwinds the runtime. Who cancels a thread that asked for the asynchronous type
// sends it glibc's signal again; our handler sits behind the trampoline of runtime/signals.cpp, so it runs
// only outside critical sections, and there becomes a cancellation point.
#include "runtime/interceptors/sync_calls.h"
#include "runtime/signals.h"

#include <sys/syscall.h>

using namespace footrace;

namespace {

constexpr int kCancelSignal = 32; // SIGCANCEL of glibc; its sigaction refuses the number

struct KernelAction {
  void (*handler)(int, siginfo_t*, void*);
  u64 flags;
  void* restorer;
  u64 mask;
};

// sigaction as a system call. Keeps the restorer that glibc has installed, which unwinders know.
int kernel_sigaction(int signo, const struct sigaction* wanted, struct sigaction* old) {
  KernelAction before = {};
  if (sys(SYS_rt_sigaction, u64(signo), 0, u64(&before), sizeof before.mask) < 0) return -1;
  if (old) {
    *old = {};
    old->sa_sigaction = before.handler;
    old->sa_flags = int(before.flags);
  }
  if (!wanted) return 0;
  constexpr u64 kHasRestorer = 0x04000000;
  KernelAction now = {wanted->sa_sigaction, u64(u32(wanted->sa_flags)) | kHasRestorer, before.restorer, 0};
  return sys(SYS_rt_sigaction, u64(signo), u64(&now), 0, sizeof now.mask) < 0 ? -1 : 0;
}

__thread bool t_asynchronous;
void (*g_glibc_handler)(int, siginfo_t*, void*);
SpinLock g_install_lock;

void on_cancel_signal(int signo, siginfo_t* info, void* context) {
  if (t_asynchronous && self())
    pthread_testcancel();
  else if (auto* glibc = __atomic_load_n(&g_glibc_handler, __ATOMIC_ACQUIRE))
    glibc(signo, info, context);
}

// Only after a real pthread_cancel: that is when glibc installs its own.
void install_once(Thread* t) {
  Critical critical(t);
  SpinGuard guard(g_install_lock);
  if (g_glibc_handler) return;
  struct sigaction glibc = {};
  if (kernel_sigaction(kCancelSignal, nullptr, &glibc) || !(glibc.sa_flags & SA_SIGINFO)) return;
  __atomic_store_n(&g_glibc_handler, glibc.sa_sigaction, __ATOMIC_RELEASE);
  struct sigaction ours = {};
  ours.sa_sigaction = on_cancel_signal;
  ours.sa_flags = SA_SIGINFO;
  install_handler(kernel_sigaction, kCancelSignal, &ours, nullptr);
}

} // namespace

FR_INTERCEPTOR(int, pthread_cancel, pthread_t handle) {
  int result = FR_REAL(pthread_cancel)(handle);
  Thread* t = syncing_thread();
  if (!t || result) return result;
  install_once(t);
  if (handle != pthread_self())
    interrupt_asynchronous(handle, kCancelSignal);
  else if (t_asynchronous)
    pthread_testcancel();
  return result;
}

FR_INTERCEPTOR(int, pthread_setcanceltype, int type, int* old) {
  Thread* t = syncing_thread();
  if (!t || (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS))
    return FR_REAL(pthread_setcanceltype)(type, old);
  if (old) *old = t_asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  t_asynchronous = type == PTHREAD_CANCEL_ASYNCHRONOUS;
  set_asynchronous(t, t_asynchronous);
  if (t_asynchronous) pthread_testcancel(); // it may be too late for a signal
  return 0;
}

FR_INTERCEPTOR(int, pthread_setcancelstate, int state, int* old) {
  int result = FR_REAL(pthread_setcancelstate)(state, old);
  if (!result && state == PTHREAD_CANCEL_ENABLE && t_asynchronous && self()) pthread_testcancel();
  return result;
}
