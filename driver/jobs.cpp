#include "driver/jobs.h"

#include "driver/process.h"

#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <map>
#include <sys/wait.h>

namespace footrace::driver {
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
    done(index, exit_code_of(status));
  }
}

} // namespace footrace::driver
