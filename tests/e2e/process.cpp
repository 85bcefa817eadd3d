#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

namespace footrace::e2e {

std::string Outcome::text() const {
  if (timed_out) return "time limit exceeded";
  if (signal) return std::string("killed by signal ") + strsignal(signal);
  return "exit code " + std::to_string(exit_code);
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

static void redirect(const std::string& file, int descriptor) {
  int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0 || dup2(fd, descriptor) < 0) _exit(127);
  close(fd);
}

static void stay_on_one_processor() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

[[noreturn]] static void become(const Command& command) {
  setpgid(0, 0); // a time limit must end what the program itself started, too
  redirect(command.stdout_file, STDOUT_FILENO);
  redirect(command.stderr_file, STDERR_FILENO);
  if (command.one_processor) stay_on_one_processor();
  for (const std::string& entry : command.environment) putenv(const_cast<char*>(entry.c_str()));
  std::vector<char*> argv;
  for (const std::string& argument : command.arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  fprintf(stderr, "cannot run %s: %s\n", argv[0], strerror(errno));
  _exit(127);
}

Outcome run_process(const Command& command) {
  Outcome outcome;
  fflush(nullptr);
  pid_t child = fork();
  if (child == 0) become(command);
  if (child < 0) return outcome;
  setpgid(child, child);
  pollfd ended = {static_cast<int>(syscall(SYS_pidfd_open, child, 0)), POLLIN, 0};
  if (poll(&ended, 1, command.timeout_seconds * 1000) == 0) {
    outcome.timed_out = true;
    kill(-child, SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (ended.fd >= 0) close(ended.fd);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  return outcome;
}

} // namespace footrace::e2e
