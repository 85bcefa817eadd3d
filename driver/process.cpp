#include "driver/process.h"

#include "driver/messages.h"

#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

int run_and_wait(const std::vector<std::string>& command) {
  llvm::outs().flush();
  struct sigaction ignore = {}, old_interrupt, old_quit;
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignore, &old_interrupt);
  sigaction(SIGQUIT, &ignore, &old_quit);

  // The program gets back what we ignore, unless our own parent had it ignored.
  sigset_t defaults;
  sigemptyset(&defaults);
  if (old_interrupt.sa_handler != SIG_IGN) sigaddset(&defaults, SIGINT);
  if (old_quit.sa_handler != SIG_IGN) sigaddset(&defaults, SIGQUIT);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);

  const pid_t child = start(command, &attributes);
  const int error = child < 0 ? errno : 0;
  posix_spawnattr_destroy(&attributes);
  int status = 0;
  if (!error) {
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  sigaction(SIGINT, &old_interrupt, nullptr);
  sigaction(SIGQUIT, &old_quit, nullptr);

  if (error) return cannot_start(command[0], error);
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
