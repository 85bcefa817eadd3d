#include "driver/prove_limits.h"

#include "driver/messages.h"
#include "driver/process.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace footrace::driver {
namespace {

constexpr std::chrono::milliseconds interval(50);

unsigned long resident_megabytes(pid_t process) {
  std::ifstream statm("/proc/" + std::to_string(process) + "/statm");
  unsigned long total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<unsigned long>(sysconf(_SC_PAGESIZE)) / (1024 * 1024);
}

} // namespace

void Notes::leave(const std::string& stage, const std::string& text) const {
  const std::string next = file_ + ".next";
  std::ofstream(next) << stage << '\n' << text;
  std::rename(next.c_str(), file_.c_str());
}

void Notes::read(std::string& stage, std::string& text) const {
  auto buffer = llvm::MemoryBuffer::getFile(file_);
  if (!buffer) return;
  auto [first, rest] = (*buffer)->getBuffer().split('\n');
  stage = first.str();
  text = rest.str();
}

LimitedRun run_within(const Limits& limits, const std::function<int()>& work) {
  llvm::outs().flush();
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child < 0) return {Passed::Nothing, failure("cannot start a process for the analysis")};
  if (child == 0) {
    setpgid(0, 0);                    // so that what it starts ends with it
    prctl(PR_SET_PDEATHSIG, SIGKILL); // and it with us
    int code = work();
    llvm::outs().flush();
    _exit(code);
  }
  LimitedRun run;
  int status = 0;
  // The first look comes before the first pause: a short run passes a limit as well.
  for (; waitpid(child, &status, WNOHANG) == 0; std::this_thread::sleep_for(interval)) {
    if (run.passed != Passed::Nothing) continue; // it is on its way out
    if (limits.seconds && std::chrono::steady_clock::now() - begin > std::chrono::seconds(limits.seconds))
      run.passed = Passed::Time;
    else if (limits.megabytes && resident_megabytes(child) > limits.megabytes)
      run.passed = Passed::Memory;
    if (run.passed != Passed::Nothing) kill(-child, SIGKILL);
  }
  run.code = exit_code_of(status);
  return run;
}

} // namespace footrace::driver
