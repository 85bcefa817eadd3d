#include "driver/run_options.h"

#include "driver/messages.h"
#include "driver/process.h"

#include "llvm/ADT/StringRef.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace footrace::driver {

bool take_run_option(const std::vector<std::string>& arguments, size_t& i, RunOptions& options, int& code) {
  const struct {
    llvm::StringRef name;
    std::string& value;
    bool is_file_to_read;
  } valued[] = {{"--findings", options.findings, false},
                {"--log-path", options.log_path, false},
                {"--suppressions", options.suppressions, true},
                {"--options", options.options, false}};
  llvm::StringRef word = arguments[i];
  if (word == "--stats") {
    options.stats = true;
    i++;
    return true;
  }
  for (const auto& option : valued) {
    if (word == option.name) {
      if (i + 1 == arguments.size() || arguments[i + 1] == "--") {
        code = usage_error("'" + option.name + "' needs a value");
        return true;
      }
      option.value = arguments[i + 1];
      i += 2;
    } else if (word.starts_with((option.name + "=").str())) {
      option.value = word.substr(option.name.size() + 1);
      i++;
    } else {
      continue;
    }
    if (option.value.empty()) {
      code = usage_error("'" + option.name + "' needs a value");
    } else if (option.is_file_to_read && !std::filesystem::is_regular_file(option.value)) {
      code = usage_error("'" + option.name + "' names '" + option.value + "', which is not a file");
    }
    return true;
  }
  return false;
}

bool wants_counters(const RunOptions& options) {
  const char* inherited = getenv("FOOTRACE_OPTIONS");
  return options.stats || !options.stats_file.empty() || llvm::StringRef(options.options).contains("stats") ||
         llvm::StringRef(inherited ? inherited : "").contains("stats");
}

// The program may change its directory before it opens the file.
static std::string absolute(const std::string& file) { return std::filesystem::absolute(file); }

static bool is_stream(const std::string& log_path) { return log_path == "stderr" || log_path == "stdout"; }

int prepare_output_files(const RunOptions& options) {
  if (!options.findings.empty()) {
    int file = open(options.findings.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (file >= 0)
      close(file);
    else if (errno != ENXIO) // a pipe whose reader has not come yet
      return usage_error("cannot write the findings to '" + options.findings + "': " + strerror(errno));
  }
  if (!options.log_path.empty() && !is_stream(options.log_path)) {
    // Each process adds its number to the name, so only the folder can be looked at.
    std::error_code error;
    std::string folder = std::filesystem::path(absolute(options.log_path)).parent_path();
    if (!std::filesystem::is_directory(folder, error))
      return usage_error("cannot write reports to '" + options.log_path + "': there is no folder '" + folder +
                         "'");
    if (access(folder.c_str(), W_OK | X_OK) != 0)
      return usage_error("cannot write reports to '" + options.log_path + "': the folder '" + folder +
                         "' does not let files be made: " + strerror(errno));
  }
  return 0;
}

// Values are quoted because paths may contain the separators.
static void add(std::string& text, llvm::StringRef name, llvm::StringRef value) {
  const char* quote = value.contains('"') ? "'" : "\"";
  text += (text.empty() ? "" : ":") + (name + "=" + quote + value + quote).str();
}

std::string runtime_options(const std::string& inherited, const RunOptions& options) {
  std::string text = inherited;
  if (!options.options.empty()) text += (text.empty() ? "" : ":") + options.options;
  if (!options.findings.empty()) add(text, "findings", absolute(options.findings));
  if (!options.log_path.empty()) {
    add(text, "log_path", is_stream(options.log_path) ? options.log_path : absolute(options.log_path));
  }
  if (!options.suppressions.empty()) add(text, "suppressions", absolute(options.suppressions));
  if (options.stats) add(text, "stats", "1");
  if (!options.stats_file.empty()) add(text, "stats_file", options.stats_file);
  if (!options.record.empty()) add(text, "record", options.record);
  if (options.record_all) add(text, "record_all", "1");
  if (options.keeps_exit_codes) add(text, "exitcode", "0");
  return text;
}

void export_run_options(const Installation& installation, const RunOptions& options) {
  const char* inherited = getenv("FOOTRACE_OPTIONS");
  std::string text = runtime_options(inherited ? inherited : "", options);
  if (!text.empty()) export_variable("FOOTRACE_OPTIONS", text);
  // The path in the program is that of the tree it was built with, which may have moved since.
  if (!getenv("FOOTRACE_REPORTER")) export_variable("FOOTRACE_REPORTER", installation.reporter);
}

} // namespace footrace::driver
