// Forks that run no fork handlers, so that ours are called here; and waiting for children.
#include "runtime/fork.h"
#include "runtime/channels.h"
#include "runtime/interceptors/caller.h"
#include "runtime/process_end.h"

#include <errno.h>
#include <linux/sched.h>
#include <sys/resource.h>
#include <sys/wait.h>

using namespace footrace;

namespace {

struct ClonedCall {
  int (*function)(void*);
  void* argument;
};

// The first function of a child with a copy of the memory. Its result becomes the exit code without a call of
// exit.
int cloned_entry(void* call) {
  ClonedCall of_program = *static_cast<ClonedCall*>(call);
  after_fork_in_child();
  return final_code(of_program.function(of_program.argument));
}

void finish_fork_in_parent() {
  int saved = errno;
  after_fork_in_parent();
  errno = saved;
}

} // namespace

// The fork of signal handlers.
FR_INTERCEPTOR(int, _Fork) {
  before_fork();
  int child = FR_REAL(_Fork)();
  if (child == 0)
    after_fork_in_child();
  else
    finish_fork_in_parent();
  return child;
}

// glibc's is variadic; whoever passes fewer arguments has them read from registers and a stack slot that the flags
// say nobody uses.
FR_INTERCEPTOR(int, clone, int (*function)(void*), void* stack, int flags, void* argument, int* parent_tid,
               void* tls, int* child_tid) {
  auto real = FR_REAL(clone);
  if (!function || (flags & CLONE_VM)) // refused, a thread, or a kind of vfork
    return real(function, stack, flags, argument, parent_tid, tls, child_tid);
  ClonedCall call = {function, argument}; // the child has a copy
  before_fork();
  int child = real(cloned_entry, stack, flags, &call, parent_tid, tls, child_tid);
  finish_fork_in_parent();
  return child;
}

// -- The end of a child comes after whatever made it end, and that may have been told to it from here.
namespace {

template <class Process> Process child_seen(Caller caller, Process result, const void* written, u64 size) {
  if (result < 0 || !result) return result;
  if (Thread* t = self()) outside_acquire(t);
  Thread* t = checked_caller(caller);
  if (t && written) check_write(t, caller, written, size);
  return result;
}

} // namespace

FR_INTERCEPTOR(pid_t, wait, int* status) {
  return child_seen(FR_CALLER(), FR_REAL(wait)(status), status, sizeof *status);
}
FR_INTERCEPTOR(pid_t, waitpid, pid_t child, int* status, int options) {
  return child_seen(FR_CALLER(), FR_REAL(waitpid)(child, status, options), status, sizeof *status);
}
FR_INTERCEPTOR(pid_t, wait3, int* status, int options, struct rusage* usage) {
  const Caller caller = FR_CALLER();
  const pid_t child = FR_REAL(wait3)(status, options, usage);
  child_seen(caller, child, usage, sizeof *usage);
  return child_seen(caller, child, status, sizeof *status);
}
FR_INTERCEPTOR(pid_t, wait4, pid_t which, int* status, int options, struct rusage* usage) {
  const Caller caller = FR_CALLER();
  const pid_t child = FR_REAL(wait4)(which, status, options, usage);
  child_seen(caller, child, usage, sizeof *usage);
  return child_seen(caller, child, status, sizeof *status);
}
FR_INTERCEPTOR(int, waitid, idtype_t kind, id_t which, siginfo_t* info, int options) {
  const Caller caller = FR_CALLER();
  const int result = FR_REAL(waitid)(kind, which, info, options);
  if (!result) child_seen(caller, 1, info, sizeof *info);
  return result;
}
