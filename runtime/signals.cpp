// Problem: an asynchronous signal interrupts the runtime while it holds locks that the handler's accesses
// need.
//
// Algorithm: the kernel is the queue. The trampoline sends the same signal, with the same siginfo, to its own
// thread again and blocks it in the mask that the thread returns to. The end of the critical section unblocks
// it, and the handler runs on a frame of its own with everything the kernel arranges: mask, alternate stack,
// restarted calls, context. A fault of the thread itself cannot wait: its handler runs at once, after the
// thread has let go of the atomic location.
//
// The kernel gets neither SA_RESETHAND nor SA_NODEFER: a handler that was put off must still be there, and
// must not be entered before its time. The trampoline gives both their meaning when the handler really runs.
//
// Happens-before: installing a handler, and sending the signal to this process or a thread of it, is ordered before every later run of the handler and every
// later wait that takes the signal (one token per signal).
//
// Concurrency: g_actions changes under g_lock with all signals blocked; the trampoline reads by sequence
// number.
#include "runtime/signals.h"
#include "runtime/fork.h"
#include "runtime/runtime.h"
#include "runtime/sync.h"
#include "runtime/threads.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

namespace footrace {
namespace {

constexpr int kSignals = 65;

// As the program sees it; meaningful while the kernel's handler is the trampoline.
struct Action {
  u32 sequence; // odd while it changes
  struct sigaction user;
  SyncToken before_arrival;
};
[[clang::no_destroy]] Action g_actions[kSignals]; // handlers run until the very end
SpinLock g_lock;

// Signals of this thread that wait for the end of the critical section; they are blocked meanwhile.
__thread u64 t_put_off __attribute__((tls_model("initial-exec")));

u64 bit_of(int signo) { return 1ull << (signo - 1); }
u64& kernel_mask(sigset_t& set) { return *reinterpret_cast<u64*>(&set); }
void change_mask(int how, u64 set, u64* old = nullptr) {
  sys(SYS_rt_sigprocmask, u64(how), u64(&set), u64(old), sizeof set);
}

class AllSignalsBlocked {
public:
  AllSignalsBlocked() : mask_(block_signals()) {}
  ~AllSignalsBlocked() { restore_signals(mask_); }

private:
  u64 mask_;
};

// The instruction of this very thread raised it: it cannot go on before the handler ran.
bool is_fault(int signo, const siginfo_t* info) {
  if (info->si_code <= 0) return false; // sent by a process
  return signo == SIGSEGV || signo == SIGBUS || signo == SIGFPE || signo == SIGILL || signo == SIGTRAP ||
         signo == SIGSYS;
}

struct sigaction read_action(int signo) {
  Action& a = g_actions[signo];
  for (;;) {
    u32 before = __atomic_load_n(&a.sequence, __ATOMIC_ACQUIRE);
    struct sigaction copy = a.user;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (!(before & 1) && __atomic_load_n(&a.sequence, __ATOMIC_RELAXED) == before) return copy;
    yield_cpu();
  }
}
// The caller holds g_lock.
void write_action(int signo, const struct sigaction& user) {
  Action& a = g_actions[signo];
  __atomic_store_n(&a.sequence, a.sequence + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  a.user = user;
  __atomic_store_n(&a.sequence, a.sequence + 1, __ATOMIC_RELEASE);
}

bool send_again(int signo, siginfo_t* info) {
  u64 process = u64(sys(SYS_getpid)), thread = u64(sys(SYS_gettid));
  return sys(SYS_rt_tgsigqueueinfo, process, thread, u64(signo), u64(info)) == 0;
}

// While the handler runs, what the thread was doing is kept aside. Nothing is lost when the handler leaves by
// longjmp or by an exception: the program's next function entry or landing pad puts the shadow stack right.
class Interrupted {
public:
  Interrupted(Thread* t, const void* context) : t_(t), errno_(errno) {
    if (!t_) return;
    top_ = t_->context.top;
    if (top_ < t_->context.limit) {
      next_frame_ = *top_; // may be half pushed
      push_interrupted_place(static_cast<const ucontext_t*>(context));
    }
    critical_ = t_->critical;
    atomic_ = t_->atomic;
    if (!critical_) return;
    if (atomic_.object) atomic_.object->lock.unlock();
    t_->atomic.object = nullptr;
    __atomic_store_n(&t_->critical, 0, __ATOMIC_RELEASE);
  }
  ~Interrupted() {
    if (t_) {
      if (top_ < t_->context.limit) *top_ = next_frame_;
      t_->context.top = top_;
      if (critical_) resume_critical();
    }
    errno = errno_;
  }

private:
  // The function that was interrupted has not called anything, so no return address tells of it. Stacks are
  // looked up one byte earlier, inside a call.
  void push_interrupted_place(const ucontext_t* context) {
    uptr pc = uptr(context->uc_mcontext.gregs[REG_RIP]);
    if (!is_instrumented_code(pc)) return;
    begin_frame(top_, pc + 1, false);
    t_->context.top = top_ + 1;
  }
  void resume_critical() {
    critical_enter(t_);
    t_->critical = critical_;
    if (!atomic_.object) return;
    atomic_.object = sync_lock(atomic_.address);
    t_->atomic = atomic_;
  }

  Thread* t_;
  int errno_;
  Frame* top_ = nullptr;
  Frame next_frame_ = {};
  u32 critical_ = 0;
  AtomicScope atomic_ = {};
};

FR_COLD void set_default(int signo) { // off the handler's stack, which may be small
  struct sigaction now = read_action(signo);
  now.sa_handler = SIG_DFL;
  now.sa_flags &= ~SA_SIGINFO;
  AllSignalsBlocked blocked;
  SpinGuard guard(g_lock);
  struct {
    void* handler;
    u64 flags;
    void* restorer;
    u64 mask;
  } by_default = {};
  sys(SYS_rt_sigaction, u64(signo), u64(&by_default), 0, 8);
  write_action(signo, now);
}

void run_handler(int signo, siginfo_t* info, void* context) {
  struct sigaction action = read_action(signo);
  if (!(action.sa_flags & SA_SIGINFO)) {
    if (action.sa_handler == SIG_IGN) return;
    if (action.sa_handler == SIG_DFL) { // changed while the signal was on its way
      send_again(signo, info);
      return;
    }
  }
  if (action.sa_flags & int(SA_RESETHAND)) set_default(signo);
  Interrupted interrupted(self(), context);
  if (Thread* t = self()) token_acquire(t, g_actions[signo].before_arrival);
  if ((action.sa_flags & SA_NODEFER) && sigismember(&action.sa_mask, signo) != 1)
    change_mask(SIG_UNBLOCK, bit_of(signo));
  action.sa_sigaction(signo, info, context); // a plain handler does not look at the others
}

void trampoline(int signo, siginfo_t* info, void* context) {
  Thread* t = self();
  u64& returns_to = kernel_mask(static_cast<ucontext_t*>(context)->uc_sigmask);
  if (t && t->critical) {
    if (is_fault(signo, info)) {
      returns_to &= ~t_put_off; // the handler may never come back to the critical section
      t_put_off = 0;
    } else if (send_again(signo, info)) {
      returns_to |= bit_of(signo);
      t_put_off |= bit_of(signo);
      t->pending |= kPendingSignals;
      return;
    }
    // Else the kernel's queue of real-time signals is full: better early than never.
  }
  run_handler(signo, info, context);
}

bool is_trampoline(const struct sigaction& a) {
  return (a.sa_flags & SA_SIGINFO) && a.sa_sigaction == trampoline;
}

} // namespace

int install_handler(SigactionFunction real, int signo, const struct sigaction* wanted,
                    struct sigaction* old) {
  // A child of vfork has handlers of its own but shares the table with its parent.
  if (signo <= 0 || signo >= kSignals || !is_own_process()) return real(signo, wanted, old);
  Thread* t = self();
  if (t && wanted) token_release(t, g_actions[signo].before_arrival);
  struct sigaction kernel = {}, before = {}, user_before = {};
  int result;
  {
    Critical critical(t);
    AllSignalsBlocked blocked;
    SpinGuard guard(g_lock);
    user_before = g_actions[signo].user;
    bool handles = wanted && ((wanted->sa_flags & SA_SIGINFO) ||
                              (wanted->sa_handler != SIG_DFL && wanted->sa_handler != SIG_IGN));
    if (wanted) kernel = *wanted;
    if (handles) {
      kernel.sa_sigaction = trampoline;
      kernel.sa_flags = (kernel.sa_flags | SA_SIGINFO) & ~(SA_NODEFER | int(SA_RESETHAND));
      write_action(signo, *wanted); // before the kernel may call the trampoline
    }
    result = real(signo, wanted ? &kernel : nullptr, &before);
    if (result == 0 && wanted && !handles) write_action(signo, *wanted);
    if (result != 0 && handles) write_action(signo, user_before);
  }
  if (result == 0 && old) *old = is_trampoline(before) ? user_before : before;
  return result;
}

// The kernel delivers before the call returns.
void deliver_pending_signals(Thread* t) {
  t->pending &= ~kPendingSignals;
  u64 put_off = __atomic_exchange_n(&t_put_off, 0, __ATOMIC_RELAXED);
  if (put_off) change_mask(SIG_UNBLOCK, put_off);
}

void visit_signal_clocks(void (*fn)(void*, Clock&), void* argument) {
  for (Action& a : g_actions) fn(argument, a.before_arrival.L);
}

void signal_sent(Thread* t, int signo) {
  if (t && signo > 0 && signo < kSignals) token_release(t, g_actions[signo].before_arrival);
}
void signal_taken(Thread* t, int signo) {
  if (t && signo > 0 && signo < kSignals) token_acquire(t, g_actions[signo].before_arrival);
}

void signals_lock_all() { g_lock.lock(); }
void signals_unlock_all() { g_lock.unlock(); }

} // namespace footrace
