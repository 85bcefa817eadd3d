#include "runtime/fork.h"
#include "runtime/interception.h"

#include <errno.h>

using namespace footrace;

// The fork of signal handlers: runs no handlers, so ours are called here.
FR_INTERCEPTOR(int, _Fork) {
  before_fork();
  int child = FR_REAL(_Fork)();
  int saved = errno;
  if (child == 0)
    after_fork_in_child();
  else
    after_fork_in_parent();
  errno = saved;
  return child;
}
