// Forks that run no fork handlers, so that ours are called here.
#include "runtime/fork.h"
#include "runtime/interception.h"
#include "runtime/process_end.h"

#include <errno.h>
#include <linux/sched.h>

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
