// Start-up: before any constructor of the program runs (.preinit_array), or earlier if an interceptor is
// called first.
#include "check/mapping.h"
#include "runtime/environment.h"
#include "runtime/fork.h"
#include "runtime/heap.h"
#include "runtime/interception.h"
#include "runtime/options.h"
#include "runtime/process_end.h"
#include "runtime/runtime.h"
#include "runtime/threads.h"

#include <dlfcn.h>
#include <sys/personality.h>
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

// Some kernels randomise more address bits than the shadow's windows allow. Run again without randomisation
// then.
void check_address_space() {
  int on_stack;
  const void* samples[] = {reinterpret_cast<const void*>(&check_address_space), &on_stack,
                           reinterpret_cast<const void*>(&dlsym)};
  bool fits = true;
  for (const void* sample : samples) fits &= may_have_shadow(reinterpret_cast<uptr>(sample));
  if (fits) return;
  i64 now = sys(SYS_personality, 0xffffffff);
  if (now >= 0 && !(now & ADDR_NO_RANDOMIZE) && sys(SYS_personality, u64(now) | ADDR_NO_RANDOMIZE) >= 0) {
    TextBuffer command;
    if (read_file("/proc/self/cmdline", command)) {
      const char* argv[4096];
      u32 argc = 0;
      for (u64 i = 0; i < command.size() && argc < 4095; i += length_of(command.data() + i) + 1)
        argv[argc++] = command.data() + i;
      argv[argc] = nullptr;
      sys(SYS_execve, u64("/proc/self/exe"), u64(argv), u64(startup_environment()));
    }
  }
  refuse(
      "the program's memory lies where the shadow cannot follow, and it cannot be run again without address "
      "randomisation. Run it under `setarch -R`, or lower vm.mmap_rnd_bits to 28.");
}

void start() {
  check_address_space();
  if (const char* why = reserve_shadow()) refuse(why);
  read_options();
  limit_logs(options().history_size, options().memory_limit_mb);
  resolve_real_functions();
  heap_start();
  start_main_thread();
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
