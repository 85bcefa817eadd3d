// sigaction, signal, kill, sigwait and their kin; the meaning is in runtime/signals.h.
#include "runtime/signals.h"
#include "runtime/channels.h"
#include "runtime/interceptors/caller.h"
#include "runtime/interceptors/sync_calls.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

using namespace footrace;

namespace {

using Handler = void (*)(int);
constexpr int kSignals = 65;

u64 bit_of(int signo) { return 1ull << (signo - 1); }
void change_mask(int how, u64 set, u64* old = nullptr) {
  sys(SYS_rt_sigprocmask, u64(how), u64(&set), u64(old), sizeof set);
}

u64 g_interrupting; // signals whose handlers installed by signal() do not restart calls (siginterrupt)

} // namespace

FR_INTERCEPTOR(int, sigaction, int signo, const struct sigaction* wanted, struct sigaction* old) {
  return install_handler(FR_REAL(sigaction), signo, wanted, old);
}
FR_INTERCEPTOR(int, __sigaction, int signo, const struct sigaction* wanted, struct sigaction* old) {
  return install_handler(FR_REAL(__sigaction), signo, wanted, old);
}

namespace {

Handler install_simple(int signo, Handler handler, int flags) {
  struct sigaction wanted = {}, old = {};
  wanted.sa_handler = handler;
  wanted.sa_flags = flags;
  if (!(flags & SA_NODEFER) && signo > 0 && signo < kSignals) sigaddset(&wanted.sa_mask, signo);
  return install_handler(FR_REAL(sigaction), signo, &wanted, &old) == 0 ? old.sa_handler : SIG_ERR;
}
Handler install_bsd(int signo, Handler handler) {
  if (handler == SIG_ERR || signo < 1 || signo >= kSignals) {
    errno = EINVAL;
    return SIG_ERR;
  }
  bool restarts = !(__atomic_load_n(&g_interrupting, __ATOMIC_RELAXED) & bit_of(signo));
  return install_simple(signo, handler, restarts ? SA_RESTART : 0);
}
Handler install_system_v(int signo, Handler handler) {
  if (handler == SIG_ERR || signo < 1 || signo >= kSignals) {
    errno = EINVAL;
    return SIG_ERR;
  }
  return install_simple(signo, handler, int(SA_RESETHAND) | SA_NODEFER);
}

} // namespace

FR_REPLACEMENT(Handler, signal, int signo, Handler handler) { return install_bsd(signo, handler); }
FR_REPLACEMENT(Handler, bsd_signal, int signo, Handler handler) { return install_bsd(signo, handler); }
FR_REPLACEMENT(Handler, ssignal, int signo, Handler handler) { return install_bsd(signo, handler); }
FR_REPLACEMENT(Handler, sysv_signal, int signo, Handler handler) { return install_system_v(signo, handler); }
FR_REPLACEMENT(Handler, __sysv_signal, int signo, Handler handler) {
  return install_system_v(signo, handler);
}

FR_REPLACEMENT(Handler, sigset, int signo, Handler handler) {
  if (signo < 1 || signo >= kSignals || handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  u64 before = 0;
  Handler old;
  if (handler == SIG_HOLD) {
    change_mask(SIG_BLOCK, bit_of(signo), &before);
    struct sigaction now = {};
    if (install_handler(FR_REAL(sigaction), signo, nullptr, &now) != 0) return SIG_ERR;
    old = now.sa_handler;
  } else {
    struct sigaction wanted = {}, now = {};
    wanted.sa_handler = handler;
    if (install_handler(FR_REAL(sigaction), signo, &wanted, &now) != 0) return SIG_ERR;
    old = now.sa_handler;
    change_mask(SIG_UNBLOCK, bit_of(signo), &before);
  }
  return before & bit_of(signo) ? SIG_HOLD : old;
}
FR_REPLACEMENT(int, sigignore, int signo) {
  struct sigaction wanted = {};
  wanted.sa_handler = SIG_IGN;
  return install_handler(FR_REAL(sigaction), signo, &wanted, nullptr);
}
FR_REPLACEMENT(int, siginterrupt, int signo, int interrupt) {
  struct sigaction action = {};
  if (install_handler(FR_REAL(sigaction), signo, nullptr, &action) != 0) return -1;
  if (interrupt)
    __atomic_fetch_or(&g_interrupting, bit_of(signo), __ATOMIC_RELAXED);
  else
    __atomic_fetch_and(&g_interrupting, ~bit_of(signo), __ATOMIC_RELAXED);
  action.sa_flags = interrupt ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
  return install_handler(FR_REAL(sigaction), signo, &action, nullptr);
}

// -- Sending and waiting. raise needs nothing: the handler runs in the same thread.

FR_INTERCEPTOR(int, kill, pid_t process, int signo) {
  Thread* t = syncing_thread();
  signal_sent(t, signo);
  if (t) outside_release(t); // it may be another process
  return FR_REAL(kill)(process, signo);
}
FR_INTERCEPTOR(int, killpg, pid_t group, int signo) {
  signal_sent(syncing_thread(), signo);
  return FR_REAL(killpg)(group, signo);
}
FR_INTERCEPTOR(int, tgkill, pid_t process, pid_t thread, int signo) {
  signal_sent(syncing_thread(), signo);
  return FR_REAL(tgkill)(process, thread, signo);
}
FR_INTERCEPTOR(int, pthread_kill, pthread_t thread, int signo) {
  signal_sent(syncing_thread(), signo);
  return FR_REAL(pthread_kill)(thread, signo);
}
FR_INTERCEPTOR(int, sigqueue, pid_t process, int signo, const union sigval value) {
  signal_sent(syncing_thread(), signo);
  return FR_REAL(sigqueue)(process, signo, value);
}
FR_INTERCEPTOR(int, pthread_sigqueue, pthread_t thread, int signo, const union sigval value) {
  signal_sent(syncing_thread(), signo);
  return FR_REAL(pthread_sigqueue)(thread, signo, value);
}

namespace {

void check_waited_for(Caller caller, const sigset_t* set) {
  if (Thread* t = checked_caller(caller)) check_read(t, caller, set, sizeof(u64)); // the kernel's part of it
}
int taken(Caller caller, int signo, siginfo_t* info) {
  if (signo <= 0) return signo;
  signal_taken(syncing_thread(), signo);
  Thread* t = checked_caller(caller);
  if (t && info) check_write(t, caller, info, sizeof *info);
  return signo;
}

} // namespace

FR_INTERCEPTOR(int, sigwait, const sigset_t* set, int* signo) {
  const Caller caller = FR_CALLER();
  check_waited_for(caller, set);
  const int result = FR_REAL(sigwait)(set, signo);
  if (result) return result;
  signal_taken(syncing_thread(), *signo);
  if (Thread* t = checked_caller(caller)) check_write(t, caller, signo, sizeof *signo);
  return 0;
}
FR_INTERCEPTOR(int, sigwaitinfo, const sigset_t* set, siginfo_t* info) {
  const Caller caller = FR_CALLER();
  check_waited_for(caller, set);
  return taken(caller, FR_REAL(sigwaitinfo)(set, info), info);
}
FR_INTERCEPTOR(int, sigtimedwait, const sigset_t* set, siginfo_t* info, const struct timespec* timeout) {
  const Caller caller = FR_CALLER();
  check_waited_for(caller, set);
  if (Thread* t = checked_caller(caller); t && timeout) check_read(t, caller, timeout, sizeof *timeout);
  return taken(caller, FR_REAL(sigtimedwait)(set, info, timeout), info);
}
