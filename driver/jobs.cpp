#include "driver/jobs.h"

#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <map>
#include <spawn.h>
#include <sys/wait.h>

extern char** environ;

namespace footrace::driver {
namespace {

pid_t start(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child = -1;
  return posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ) == 0 ? child : -1;
}

} // namespace

void run_jobs(const std::vector<Job>& jobs, unsigned limit, const std::function<void(size_t, int)>& done) {
  llvm::outs().flush();
  std::map<pid_t, size_t> running;
  size_t next = 0;
  while (next < jobs.size() || !running.empty()) {
    if (next < jobs.size() && running.size() < limit) {
      const size_t index = next++;
      if (pid_t child = start(jobs[index].command); child > 0)
        running[child] = index;
      else
        done(index, 127);
      continue;
    }
    int status = 0;
    const pid_t ended = waitpid(-1, &status, 0);
    if (ended < 0 && errno == EINTR) continue;
    auto at = running.find(ended);
    if (at == running.end()) continue; // not one of ours
    const size_t index = at->second;
    running.erase(at);
    done(index, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
  }
}

} // namespace footrace::driver
