#include "driver/process.h"

#include "driver/messages.h"

#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace footrace::driver {

static std::vector<char*> as_argv(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  return argv;
}

pid_t start(const std::vector<std::string>& command, const posix_spawnattr_t* attributes) {
  pid_t child = -1;
  errno = posix_spawnp(&child, command[0].c_str(), nullptr, attributes, as_argv(command).data(), environ);
  return errno ? -1 : child;
}

int exit_code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

static int cannot_start(const std::string& program, int error) {
  return failure("cannot start '" + program + "': " + strerror(error));
}

int replace_with(const std::vector<std::string>& command) {
  llvm::outs().flush();
  execv(command[0].c_str(), as_argv(command).data());
  return cannot_start(command[0], errno);
}

namespace {

// What is sent to us is meant for the program: while it runs, signals that would end us are passed on, and we end when it has ended. What a terminal
// sends (Ctrl-C) has reached the program already.
constexpr int passed_on[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM};
volatile sig_atomic_t receiver; // process id; signals wait until it is known

void pass_on(int signal, siginfo_t* info, void*) {
  const int saved = errno;
  if (info->si_code <= 0) kill(receiver, signal); // sent by a process
  errno = saved;
}

class PassedOnSignals {
public:
  PassedOnSignals() {
    sigemptyset(&all_);
    sigemptyset(&defaults_);
    struct sigaction action = {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (int signal : passed_on) sigaddset(&all_, signal);
    action.sa_mask = all_;
    sigprocmask(SIG_BLOCK, &all_, &mask_);
    for (size_t i = 0; i < std::size(passed_on); ++i) {
      sigaction(passed_on[i], nullptr, &old_[i]);
      if (old_[i].sa_handler == SIG_IGN) continue; // nohup
      sigaction(passed_on[i], &action, nullptr);
      sigaddset(&defaults_, passed_on[i]);
    }
  }
  ~PassedOnSignals() {
    for (size_t i = 0; i < std::size(passed_on); ++i) sigaction(passed_on[i], &old_[i], nullptr);
    sigprocmask(SIG_SETMASK, &mask_, nullptr);
  }
  PassedOnSignals(const PassedOnSignals&) = delete;
  void begin(pid_t child) const {
    receiver = child;
    sigprocmask(SIG_SETMASK, &mask_, nullptr);
  }
  void end() const { sigprocmask(SIG_BLOCK, &all_, nullptr); }
  const sigset_t& mask() const { return mask_; }
  const sigset_t& defaults() const { return defaults_; }

private:
  struct sigaction old_[std::size(passed_on)];
  sigset_t all_, mask_, defaults_;
};

} // namespace

int run_and_wait(const std::vector<std::string>& command) {
  llvm::outs().flush();
  PassedOnSignals signals;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &signals.defaults());
  posix_spawnattr_setsigmask(&attributes, &signals.mask());
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  const pid_t child = start(command, &attributes);
  const int error = child < 0 ? errno : 0;
  posix_spawnattr_destroy(&attributes);
  if (error) return cannot_start(command[0], error);

  signals.begin(child);
  int status = 0;
  siginfo_t ended;
  // It keeps its number, to which signals go, until they are held back again.
  while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  signals.end();
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    int signal = WTERMSIG(status);
    note("'" + command[0] + "' was killed by signal " + llvm::Twine(signal) + " (" + strsignal(signal) + ")");
  }
  return exit_code_of(status);
}

std::string as_shell_command(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) {
    if (!text.empty()) text += ' ';
    bool plain = !word.empty() &&
                 word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                        "_@%+=:,./-") == std::string::npos;
    if (plain) {
      text += word;
      continue;
    }
    text += '\'';
    for (char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

std::string output_of(const std::vector<std::string>& command) {
  std::string text;
  FILE* pipe = popen(as_shell_command(command).c_str(), "re");
  if (!pipe) return text;
  char buffer[4096];
  while (size_t count = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, count);
  pclose(pipe);
  return text;
}

void export_variable(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

} // namespace footrace::driver
