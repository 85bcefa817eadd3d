// Start-up: before any constructor of the program runs (.preinit_array), or earlier if an interceptor is
// called first.
#include "check/mapping.h"
#include "runtime/environment.h"
#include "runtime/fork.h"
#include "runtime/heap.h"
#include "runtime/interception.h"
#include "runtime/options.h"
#include "runtime/process_end.h"
#include "runtime/recording.h"
#include "runtime/runtime.h"
#include "runtime/threads.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/syscall.h>

namespace footrace {

namespace {

enum class State : u8 { Never, Starting, Started };
State g_state;

[[noreturn]] void refuse(const char* why) {
  say("fatal: ", why);
  sys(SYS_exit_group, 1);
  __builtin_trap();
}

bool memory_fits() {
  int on_stack;
  const void* samples[] = {reinterpret_cast<const void*>(&memory_fits), &on_stack,
                           reinterpret_cast<const void*>(&dlvsym)}; // `dlsym` is ours
  for (const void* sample : samples)
    if (!may_have_shadow(reinterpret_cast<uptr>(sample))) return false;
  return true;
}

// Replaces the process by the same program with the same arguments; comes back only if the kernel refuses.
void run_again() {
  TextBuffer command;
  if (!read_file("/proc/self/cmdline", command)) return;
  u64 count = 0;
  for (u64 i = 0; i < command.size(); ++i) count += !command.data()[i];
  auto argv = reinterpret_cast<const char**>(map_memory(round_up((count + 1) * sizeof(char*), 4096)));
  if (!argv) return;
  u64 next = 0;
  for (u64 i = 0; i < command.size() && next < count; i += length_of(command.data() + i) + 1)
    argv[next++] = command.data() + i;
  sys(SYS_execve, u64("/proc/self/exe"), u64(argv), u64(startup_environment()));
}

// The kernel puts mmap's memory below the stack, where the shadow can follow, unless the stack has no limit (ulimit -s unlimited) or the old layout is asked
// for (setarch -L). A stack limit of exactly this size means: it had none, and the program is to find it so.
constexpr u64 kLimitInPlaceOfNone = (16ull << 30) + 0x5000;

bool has_endless_stack() {
  rlimit64 limit = {};
  return !sys(SYS_prlimit64, 0, RLIMIT_STACK, 0, u64(&limit)) && limit.rlim_cur == RLIM64_INFINITY;
}
bool limit_stack() {
  rlimit64 limit = {};
  if (sys(SYS_prlimit64, 0, RLIMIT_STACK, 0, u64(&limit)) < 0) return false;
  limit.rlim_cur = kLimitInPlaceOfNone;
  return sys(SYS_prlimit64, 0, RLIMIT_STACK, u64(&limit), 0) >= 0;
}
void restore_stack_limit() {
  rlimit64 limit = {};
  if (sys(SYS_prlimit64, 0, RLIMIT_STACK, 0, u64(&limit)) < 0 || limit.rlim_cur != kLimitInPlaceOfNone ||
      limit.rlim_max != RLIM64_INFINITY)
    return;
  limit.rlim_cur = RLIM64_INFINITY;
  sys(SYS_prlimit64, 0, RLIMIT_STACK, u64(&limit), 0);
  // libc has taken our limit for the size of each thread's stack; without a limit it takes 2 MB.
  pthread_attr_t usual;
  if (pthread_getattr_default_np(&usual)) return;
  if (!pthread_attr_setstacksize(&usual, 2 << 20)) pthread_setattr_default_np(&usual);
  pthread_attr_destroy(&usual);
}

// Memory may lie where the shadow cannot follow: under the old layout, or where a kernel randomises more address bits than its windows allow. Then the
// program is run again, first with the usual layout, next without randomisation.
void check_address_space() {
  if (memory_fits()) return restore_stack_limit();
  const i64 now = sys(SYS_personality, 0xffffffff);
  if (now >= 0) {
    if (has_endless_stack() && limit_stack()) run_again();
    if (now & ADDR_COMPAT_LAYOUT && sys(SYS_personality, u64(now) & ~u64(ADDR_COMPAT_LAYOUT)) >= 0)
      run_again();
    if (!(now & ADDR_NO_RANDOMIZE) && sys(SYS_personality, u64(now) | ADDR_NO_RANDOMIZE) >= 0) run_again();
  }
  refuse(
      "the program's memory lies where the shadow cannot follow, and it cannot be run again with another "
      "layout "
      "(personality and execve of /proc/self/exe are needed). Run it under `setarch -R` with a limited stack "
      "(`ulimit -s 8192`), or lower vm.mmap_rnd_bits to 28.");
}

void start() {
  remember_standard_streams();
  check_address_space();
  if (const char* why = reserve_shadow()) refuse(why);
  read_options();
  limit_logs(options().history_size, options().memory_limit_mb);
  resolve_real_functions();
  heap_start();
  start_main_thread();
  recording_start();
  watch_process_end();
  watch_forks();
}

__attribute__((section(".preinit_array"), used)) void (*g_preinit)() = [] { ensure_started(); };

} // namespace

bool ensure_started() {
  if (FR_LIKELY(g_state == State::Started)) return true;
  if (g_state == State::Starting) return false;
  g_state = State::Starting;
  start();
  g_state = State::Started;
  return true;
}

} // namespace footrace
