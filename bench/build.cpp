#include "bench/build.h"

#include "bench/catalog.h"
#include "bench/measure.h"
#include "driver/process.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <thread>

namespace fs = std::filesystem;

namespace footrace::bench {
namespace {

std::vector<std::string> command_of(const BuildJob& job) {
  std::vector<std::string> command = job.tool->cxx;
  command.push_back("-std=c++20");
  llvm::append_range(command, kCommonFlags);
  command.push_back("-I" + checkout());
  llvm::append_range(command, job.flags);
  llvm::append_range(command, std::vector<std::string>{"-pthread", job.source, "-o", job.program});
  return command;
}

// With proofs, the proof comes first. A program that nothing is proved about is compiled as ever.
std::string shell_command_of(const BuildJob& job) {
  std::vector<std::string> compile = command_of(job);
  const std::string plain = driver::as_shell_command(compile);
  if (!job.tool->uses_proofs) return plain;
  const std::string proofs = job.program + ".proofs", quoted = driver::as_shell_command({proofs});
  std::vector<std::string> prove = {fs::path(compile[0]).parent_path() / "footrace",
                                    "prove",
                                    job.source,
                                    "--proofs=" + proofs,
                                    "--",
                                    "-std=c++20"};
  llvm::append_range(prove, kCommonFlags);
  prove.push_back("-I" + checkout());
  llvm::append_range(prove, job.flags);
  compile.insert(compile.begin() + 1, "--use-proofs=" + proofs);
  return "rm -f " + quoted + "; " + driver::as_shell_command(prove) + " >" + quoted +
         ".verdict 2>&1; if [ -e " + quoted + " ]; then " + driver::as_shell_command(compile) + "; else " +
         plain + "; fi";
}

// The source, the headers beside it, and those that all programs share.
fs::file_time_type sources_changed_at(const std::string& source) {
  fs::file_time_type time = fs::last_write_time(source);
  for (const fs::path& folder : {fs::path(source).parent_path(), fs::path(checkout()) / "bench/programs"})
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".h") time = std::max(time, entry.last_write_time());
  return time;
}

bool may_be_stale(const BuildJob& job, const std::string& command) {
  std::error_code error;
  fs::file_time_type built = fs::last_write_time(job.program, error);
  if (error || built < sources_changed_at(job.source) || built < job.tool->changed_at) return true;
  return read_text(job.program + ".command") != command;
}

// Returns what went wrong, "" if nothing.
std::string build(const BuildJob& job, const std::string& command) {
  std::string log = job.program + ".log";
  fs::create_directories(fs::path(job.program).parent_path());
  fs::remove(job.program);
  int status = std::system((command + " >" + driver::as_shell_command({log}) + " 2>&1").c_str());
  if (status != 0) return command + "\n" + read_text(log);
  std::ofstream(job.program + ".command") << command;
  return "";
}

} // namespace

bool build_all(const std::vector<BuildJob>& jobs, Progress& progress) {
  std::vector<std::pair<const BuildJob*, std::string>> stale;
  for (const BuildJob& job : jobs) {
    if (!fs::exists(job.source)) {
      progress.failed("the source '" + job.source +
                      "' does not exist; restore it or correct the list it is in");
      return false;
    }
    std::string command = shell_command_of(job);
    if (may_be_stale(job, command)) stale.push_back({&job, command});
  }
  progress.total(stale.size());
  std::atomic<size_t> next = 0;
  std::atomic<bool> good = true;
  std::mutex speaking;
  auto work = [&] {
    for (size_t i; (i = next++) < stale.size();) {
      const BuildJob& job = *stale[i].first;
      {
        std::lock_guard lock(speaking);
        progress.step("building " + fs::path(job.program).filename().string() + " with " +
                      job.tool->folder());
      }
      std::string problem = build(job, stale[i].second);
      if (problem.empty()) continue;
      good = false;
      std::lock_guard lock(speaking);
      progress.failed("cannot build " + job.program + ":\n" + problem);
    }
  };
  std::thread second(work);
  work();
  second.join();
  return good;
}

} // namespace footrace::bench
