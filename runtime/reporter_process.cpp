// Starting the reporter: the calling thread makes a helper with clone(VM | VFORK), which makes the reporter
// in the same way and ends at once. Nothing is copied (the shadow's page tables are huge), and the reporter
// is nobody's child. Neither may touch memory except its own small stack and the Launch, and both use raw
// system calls only.
#include "runtime/reporter_process.h"

#include "base/platform.h"
#include "runtime/environment.h"
#include "runtime/modules.h"
#include "runtime/options.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Where the build or the installation has put the reporter.
extern "C" const char __footrace_reporter_path[] __attribute__((weak));

namespace footrace {
namespace {

constexpr i64 kPatienceMs = 30'000;
constexpr u32 kMaxStarts = 5; // a reporter that keeps dying is not started again
constexpr u64 kHighDescriptor = 900;
constexpr u64 kStackBytes = 32 << 10;

int g_socket = -1;
u64 g_device, g_inode; // of g_socket: the program may close descriptors that are not its own
i64 g_owner;           // process that started it
u32 g_starts;
bool g_hopeless;
char g_problem[1024];

void problem(const char* a, const char* b = "", const char* c = "") {
  TextBuffer text;
  text.add(a);
  text.add(b);
  text.add(c);
  u64 size = min(text.size(), sizeof g_problem - 1);
  copy_bytes(g_problem, text.data(), size);
  g_problem[size] = 0;
}

// -- Finding the program

bool is_executable(const char* path) { return sys(SYS_access, u64(path), X_OK) == 0; }

bool find_on_path(TextBuffer& out) {
  const char* path = environment("PATH");
  while (path && *path) {
    out.clear();
    while (*path && *path != ':') out.add(*path++);
    if (*path) ++path;
    out.add("/footrace-reporter");
    if (is_executable(out.c_str())) return true;
  }
  return false;
}

bool find_reporter(TextBuffer& out) {
  const char* asked = environment("FOOTRACE_REPORTER");
  const char* who = "FOOTRACE_REPORTER";
  if (!asked || !*asked) asked = options().reporter_path, who = "the option reporter_path";
  if (*asked) {
    out.add(asked);
    if (is_executable(asked)) return true;
    problem(who, " names a file that cannot be executed: ", asked);
    return false;
  }
  const char* built_in = __footrace_reporter_path;
  asm("" : "+r"(built_in)); // weak: may be null, whatever the type says
  if (built_in && is_executable(built_in)) {
    out.add(built_in);
    return true;
  }
  const char* exe = executable_path();
  u64 directory = length_of(exe);
  while (directory && exe[directory - 1] != '/') --directory;
  out.add(exe, directory);
  out.add("footrace-reporter");
  if ((directory && is_executable(out.c_str())) || find_on_path(out)) return true;
  problem("footrace-reporter was not found; set FOOTRACE_REPORTER to its path");
  return false;
}

// -- Starting it

struct Launch {
  const char* path;
  const char** environment;
  int socket;
  uptr stack;                 // of the second child
  bool has_output, has_error; // what has their numbers may be something else
  i64 error;
};

// The child runs fn(launch) on a stack of its own and ends; the caller sleeps until it has ended or become
// another program.
i64 clone_vfork(uptr stack, void (*fn)(Launch*), Launch* launch) {
  i64 result;
  u64 flags = CLONE_VM | CLONE_VFORK; // and no signal to anybody when it ends
  register uptr fn_register asm("r12") = uptr(fn);
  register uptr launch_register asm("r13") = uptr(launch);
  register u64 zero1 asm("r10") = 0;
  register u64 zero2 asm("r8") = 0;
  asm volatile("syscall\n\t"
               "test %%rax, %%rax\n\t"
               "jnz 1f\n\t"
               "xor %%ebp, %%ebp\n\t"
               "mov %%r13, %%rdi\n\t"
               "call *%%r12\n\t"
               "mov %[exit], %%eax\n\t"
               "xor %%edi, %%edi\n\t"
               "syscall\n\t"
               "ud2\n"
               "1:"
               : "=a"(result)
               : "a"(SYS_clone), "D"(flags), "S"((stack + kStackBytes) & ~uptr(15)), "d"(0), "r"(zero1),
                 "r"(zero2), "r"(fn_register), "r"(launch_register), [exit] "i"(SYS_exit)
               : "rcx", "r11", "memory");
  return result;
}

struct KernelSigaction {
  uptr handler;
  u64 flags;
  uptr restorer;
  u64 mask;
};

void become_reporter(Launch* launch) {
  sys(SYS_setsid); // Ctrl-C is for the program
  KernelSigaction standard = {};
  for (u64 signal = 1; signal <= 64; ++signal) sys(SYS_rt_sigaction, signal, u64(&standard), 0, 8);
  u64 none = 0;
  sys(SYS_rt_sigprocmask, SIG_SETMASK, u64(&none), 0, 8);

  if (!launch->has_output || sys(SYS_dup2, STDOUT_FILENO, 3) < 0) sys(SYS_close, 3);
  if (!launch->has_error) sys(SYS_close, STDERR_FILENO);
  sys(SYS_dup2, u64(launch->socket), 0);
  sys(SYS_dup2, u64(launch->socket), 1);
  // Others may wait for the program's pipes to be closed.
  if (sys(SYS_close_range, 4, ~0u, 0) < 0)
    for (u64 fd = 4; fd < 4096; ++fd) sys(SYS_close, fd);
  const char* argv[] = {launch->path, nullptr};
  launch->error = sys(SYS_execve, u64(launch->path), u64(argv), u64(launch->environment));
}

void start_and_leave(Launch* launch) {
  i64 child = clone_vfork(launch->stack, become_reporter, launch);
  if (child < 0) launch->error = child;
}

// What was meant for the user's program must not reach the reporter.
bool has_prefix(const char* text, const char* prefix) {
  u64 length = length_of(prefix);
  return length_of(text) >= length && !compare_bytes(text, prefix, length);
}

u64 environment_entries() {
  u64 count = 0;
  while (startup_environment()[count]) ++count;
  return count;
}

i64 launch(const char* path, int socket) {
  u64 entries = environment_entries(), size = round_up((entries + 1) * sizeof(char*), 4096) + 2 * kStackBytes;
  uptr memory = map_memory(size);
  if (!memory) return -ENOMEM;
  auto** filtered = reinterpret_cast<const char**>(memory + 2 * kStackBytes);
  u64 kept = 0;
  for (u64 i = 0; i < entries; ++i) {
    const char* entry = startup_environment()[i];
    if (!has_prefix(entry, "LD_PRELOAD=") && !has_prefix(entry, "LD_AUDIT=")) filtered[kept++] = entry;
  }
  Launch what = {path,
                 filtered,
                 socket,
                 memory + kStackBytes,
                 is_standard_stream(STDOUT_FILENO),
                 is_standard_stream(STDERR_FILENO),
                 0};
  i64 helper = clone_vfork(memory, start_and_leave, &what);
  if (helper > 0)
    while (sys(SYS_wait4, u64(helper), 0, __WALL, 0) == -EINTR) {
    }
  unmap_memory(memory, size);
  return helper < 0 ? helper : what.error;
}

int move_high(int fd) {
  rlimit limit = {};
  sys(SYS_getrlimit, RLIMIT_NOFILE, u64(&limit));
  u64 lowest = limit.rlim_cur > kHighDescriptor + 16 ? kHighDescriptor
               : limit.rlim_cur > 32                 ? limit.rlim_cur - 16
                                                     : 4;
  i64 high = sys(SYS_fcntl, u64(fd), F_DUPFD_CLOEXEC, lowest);
  if (high < 0) high = sys(SYS_fcntl, u64(fd), F_DUPFD_CLOEXEC, 4);
  sys(SYS_close, u64(fd));
  return int(high);
}

bool identity(int fd, u64& device, u64& inode) {
  struct stat info;
  if (fd < 0 || sys(SYS_fstat, u64(fd), u64(&info)) < 0) return false;
  device = info.st_dev;
  inode = info.st_ino;
  return true;
}

bool is_ours() {
  u64 device, inode;
  return g_owner == sys(SYS_getpid) && identity(g_socket, device, inode) && device == g_device &&
         inode == g_inode;
}

void drop_socket() {
  u64 device, inode;
  if (identity(g_socket, device, inode) && device == g_device && inode == g_inode)
    sys(SYS_close, u64(g_socket));
  g_socket = -1;
}

// -- Talking to it

bool wait_until_ready(short events, i64 deadline) {
  while (true) {
    pollfd fd = {g_socket, events, 0};
    i64 left = deadline - now_ms();
    i64 n = left > 0 ? sys(SYS_poll, u64(&fd), 1, u64(left)) : 0;
    if (n > 0) return true;
    if (n != -EINTR) return false;
  }
}

// One byte; 0 when the other side has ended, -1 when nothing came in time.
int receive_byte(i64 deadline) {
  while (true) {
    char byte;
    i64 n = sys(SYS_recvfrom, u64(g_socket), u64(&byte), 1, MSG_DONTWAIT, 0, 0);
    if (n == 1) return byte;
    if (n == -EAGAIN) {
      if (!wait_until_ready(POLLIN, deadline)) return -1;
    } else if (n != -EINTR) {
      return 0;
    }
  }
}

} // namespace

const char* reporter_problem() { return g_problem; }

ReporterStart start_reporter() {
  if (g_socket >= 0 && is_ours()) return ReporterStart::Running;
  drop_socket();
  if (g_hopeless) return ReporterStart::Failed;
  TextBuffer path;
  int ends[2];
  if (++g_starts > kMaxStarts) problem("footrace-reporter had to be started again and again");
  if (g_starts > kMaxStarts || !find_reporter(path)) {
    g_hopeless = true;
    return ReporterStart::Failed;
  }
  if (sys(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, u64(ends)) < 0) {
    problem("no socket could be made for it (too many open files?)");
    return ReporterStart::Failed;
  }
  g_socket = move_high(ends[0]);
  int theirs = move_high(ends[1]);
  g_owner = sys(SYS_getpid);
  i64 error = g_socket < 0 || theirs < 0 ? -EMFILE : launch(path.c_str(), theirs);
  if (theirs >= 0) sys(SYS_close, u64(theirs));
  if (!error && identity(g_socket, g_device, g_inode)) return ReporterStart::Started;
  if (g_socket >= 0) sys(SYS_close, u64(g_socket));
  g_socket = -1;
  TextBuffer number;
  number.add_decimal(u64(-error));
  problem(path.c_str(), " could not be started, error ", number.c_str());
  return ReporterStart::Failed;
}

bool send_to_reporter(const char* data, u64 size) {
  if (!is_ours()) {
    problem("the program has closed the connection to footrace-reporter");
    return false;
  }
  i64 deadline = now_ms() + kPatienceMs;
  while (size) {
    i64 n = sys(SYS_sendto, u64(g_socket), u64(data), size, MSG_NOSIGNAL | MSG_DONTWAIT, 0, 0);
    if (n > 0) {
      data += n;
      size -= u64(n);
    } else if (n == -EAGAIN) {
      if (wait_until_ready(POLLOUT, deadline)) continue;
      problem("footrace-reporter does not read what it is sent");
      drop_socket();
      return false;
    } else if (n != -EINTR) {
      problem("footrace-reporter has ended unexpectedly");
      drop_socket();
      return false;
    }
  }
  return true;
}

char reporter_answer() {
  int answer = is_ours() ? receive_byte(now_ms() + kPatienceMs) : 0;
  if (answer == 'R' || answer == 'S' || answer == 'D') return char(answer);
  problem(answer < 0   ? "footrace-reporter has not answered for 30 seconds"
          : answer > 0 ? "footrace-reporter speaks another language; is it from this version?"
                       : "footrace-reporter has ended unexpectedly");
  drop_socket();
  return 0;
}

void end_reporter() {
  if (g_socket < 0 || !is_ours()) return;
  sys(SYS_shutdown, u64(g_socket), SHUT_WR);
  i64 deadline = now_ms() + kPatienceMs;
  while (receive_byte(deadline) > 0) {
  }
  drop_socket();
}

void reporter_after_fork() {
  drop_socket();
  g_starts = 0;
  g_hopeless = false;
}

} // namespace footrace
