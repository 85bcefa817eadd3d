#include "runtime/process_end.h"

#include "base/platform.h"
#include "runtime/access.h"
#include "runtime/fork.h"
#include "runtime/options.h"
#include "runtime/recording.h"
#include "runtime/report.h"
#include "runtime/statistics.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

namespace footrace {
namespace {

int g_quick_status;

[[noreturn]] void end_now(int code) {
  for (;;) sys(SYS_exit_group, u64(code));
}

// The C library calls its own _exit after the handlers, so a different code has to leave from here. That
// skips the library's last step, which fcloseall does instead: it flushes output and gives unread input back
// to shared descriptors.
void at_exit(int status, void*) {
  int code = final_code(status);
  if (code == status) return;
  fcloseall();
  end_now(code);
}

void at_quick() {
  int code = final_code(g_quick_status);
  if (code != g_quick_status) end_now(code);
}

} // namespace

int final_code(int status) {
  if (!is_own_process()) return status; // a child of vfork leaves its parent's reports alone
  settle_everyone();
  recording_finish();
  finish_reporting();
  print_statistics();
  return (status & 0xff) == 0 && races_reported() ? int(options().exitcode) : status;
}

void remember_quick_status(int status) { g_quick_status = status; }

void watch_process_end() {
  on_exit(at_exit, nullptr);
  at_quick_exit(at_quick);
}

} // namespace footrace
