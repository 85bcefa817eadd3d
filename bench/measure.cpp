#include "bench/measure.h"

#include "driver/process.h"

#include "llvm/ADT/STLExtras.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fs = std::filesystem;

namespace footrace::bench {

std::string read_text(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Measurement run_measured(const std::string& measure, const std::string& scratch, const RunRequest& request) {
  fs::create_directories(scratch);
  std::string result = scratch + "/result", output = scratch + "/stdout", errors = scratch + "/stderr";
  fs::remove(result);
  std::vector<std::string> command = {"/usr/bin/env"};
  if (!request.folder.empty()) llvm::append_range(command, std::vector<std::string>{"-C", request.folder});
  llvm::append_range(command, std::vector<std::string>{"-u", "TSAN_OPTIONS", "-u", "FOOTRACE_OPTIONS"});
  for (const auto& [name, value] : request.environment) command.push_back(name + "=" + value);
  llvm::append_range(
      command, std::vector<std::string>{measure, result, output, errors, std::to_string(request.timeout)});
  llvm::append_range(command, request.command);

  Measurement m;
  int code = driver::run_and_wait(command);
  std::ifstream in(result);
  double kilobytes = 0;
  if (code != 0 || !(in >> m.wall >> m.cpu >> kilobytes >> m.exit_code)) m.exit_code = code ? code : 1;
  m.peak = kilobytes * 1024;
  m.output = read_text(output);
  m.errors = read_text(errors);
  return m;
}

std::map<std::string, double> read_counters(const std::string& file) {
  std::map<std::string, double> counters;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    size_t prefix = line.find(": ");
    std::istringstream words(prefix == std::string::npos ? line : line.substr(prefix + 2));
    std::string name;
    double value;
    if (words >> name >> value) counters[name] += value;
  }
  return counters;
}

} // namespace footrace::bench
