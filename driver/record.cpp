// `footrace record`: an instrumented program, and a trace of what it did.
#include "driver/commands.h"
#include "driver/messages.h"
#include "driver/process.h"
#include "driver/resolve_program.h"
#include "driver/run_options.h"
#include "driver/temporary_folder.h"
#include "record/recorder.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace fs = std::filesystem;

namespace footrace::driver {
namespace {

// Asked before the program runs, which may take long.
int prepare_trace(const std::string& file) {
  std::error_code error;
  if (fs::exists(file, error) && !fs::is_regular_file(file, error))
    return usage_error("cannot record to '" + file + "': it is not a file");
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return usage_error("cannot record to '" + file + "': " + strerror(errno));
  close(descriptor);
  return 0;
}

std::string in_words(double bytes) {
  const char* units[] = {"bytes", "kB", "MB", "GB", "TB"};
  size_t unit = 0;
  while (bytes >= 10000 && unit + 1 < std::size(units)) bytes /= 1000, ++unit;
  return std::to_string(u64(bytes)) + ' ' + units[unit];
}

// Returns 1 if a trace is not what it should be.
int sum_up(const std::vector<record::RecordedFile>& files, const std::string& program) {
  int code = 0;
  for (const record::RecordedFile& f : files) {
    if (!f.error.empty()) {
      code = failure("the trace of process " + std::to_string(f.process) + " is not all: " + f.error +
                     (f.events ? "; what was written before can be read" : ""));
      continue;
    }
    if (!f.is_recorded) {
      code = failure("process " + std::to_string(f.process) + " was not recorded; it has said why");
      continue;
    }
    note("'" + f.path + "': " + std::to_string(f.events) + " events, " + in_words(double(f.bytes)) +
         (f.is_complete ? "" : "; the process did not come to its own end"));
  }
  if (files.empty())
    code = failure("nothing was recorded: '" + program +
                   "' started no instrumented program that lived to see it");
  return code;
}

} // namespace

int command_record(const Arguments& arguments) {
  RunOptions options;
  std::string output = "run.ftr";
  bool follows = false;
  size_t i = 0;
  while (i < arguments.size() && arguments[i] != "--" && arguments[i].starts_with("-")) {
    int code = 0;
    if (arguments[i] == "-o") {
      if (i + 1 == arguments.size() || arguments[i + 1] == "--" || arguments[i + 1].empty())
        return usage_error("'-o' needs the name of a file");
      output = arguments[i + 1];
      i += 2;
      continue;
    }
    if (arguments[i] == "--follow" || arguments[i] == "--all") {
      (arguments[i] == "--all" ? options.record_all : follows) = true;
      i++;
      continue;
    }
    if (!take_run_option(arguments, i, options, code))
      return usage_error("unknown option '" + arguments[i] + "'; see 'footrace help record'");
    if (code) return code;
  }
  if (i < arguments.size() && arguments[i] == "--") i++;
  if (i == arguments.size())
    return usage_error("no program given; usage: footrace record [-o FILE] [OPTIONS] -- PROGRAM [ARGUMENTS]");

  Arguments command(arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
  if (int code = resolve_program(command[0], command[0], follows)) return code;
  std::optional<Installation> installation = find_installation();
  if (!installation) return ExitFailure;
  if (int code = prepare_output_files(options)) return code;
  if (int code = prepare_trace(output)) return code;

  TemporaryFolder folder;
  if (!folder.exists()) return ExitFailure;
  record::Recorder recorder;
  options.record = folder.path() + "/recorder";
  if (std::string why = recorder.start(options.record, output); !why.empty()) return failure(why);
  export_run_options(*installation, options);
  const int code = run_and_wait(command);
  const int own = sum_up(recorder.finish(), command[0]);
  return code ? code : own;
}

} // namespace footrace::driver
