// What code that makes raw system calls tells a sanitizer (<sanitizer/linux_syscall_hooks.h>): it must link. Most
// calls order nothing and their buffers are not judged (docs/assumptions.md), so their hooks are empty; close and
// fork do what their interceptors do. Empty hooks declare no arguments: they do not read the caller's registers.
#include "runtime/channels.h"
#include "runtime/fork.h"
#include "runtime/interception.h"

#include <errno.h>

#define FR_HOOK FR_EXPORT __attribute__((weak))

namespace footrace {

#define FR_X(name)                                                                                           \
  FR_HOOK void __sanitizer_syscall_pre_impl_##name() {}                                                      \
  FR_HOOK void __sanitizer_syscall_post_impl_##name() {}
#include "runtime/system_calls.def"

FR_HOOK void __sanitizer_syscall_pre_impl_close(long fd) {
  Thread* t = self();
  if (!t) return;
  descriptor_release(t, int(fd));
  descriptor_closed(t, int(fd));
}
FR_HOOK void __sanitizer_syscall_post_impl_close(long, long) {}

FR_HOOK void __sanitizer_syscall_pre_impl_fork() { before_fork(); }
FR_HOOK void __sanitizer_syscall_post_impl_fork(long result) {
  int saved = errno;
  if (result == 0)
    after_fork_in_child();
  else
    after_fork_in_parent();
  errno = saved;
}

} // namespace footrace
