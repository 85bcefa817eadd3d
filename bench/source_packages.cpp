#include "bench/source_packages.h"

#include "bench/measure.h"
#include "driver/process.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fs = std::filesystem;

namespace footrace::bench {
namespace {

std::string shell_word(const std::string& word) { return driver::as_shell_command({word}); }

// Runs a shell command with its output in a log; on failure gives the end of it.
bool run_logged(const std::string& command, const std::string& log, std::string& why) {
  if (std::system(("{ " + command + "; } </dev/null >" + shell_word(log) + " 2>&1").c_str()) == 0)
    return true;
  std::string text = read_text(log);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  why = text.substr(text.rfind('\n') + 1) + " (see " + log + ")";
  return false;
}

} // namespace

std::string as_deb_src_lines(const std::string& sources_list) {
  std::istringstream in(sources_list);
  std::string out;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("deb ") || line.starts_with("deb\t")) out += "deb-src" + line.substr(3) + "\n";
  return out;
}

std::string as_deb_src_stanzas(const std::string& sources) {
  std::istringstream in(sources);
  std::string out;
  for (std::string line; std::getline(in, line);)
    out += (line.starts_with("Types:") ? "Types: deb-src" : line) + "\n";
  return out;
}

std::string SourcePackages::apt() const {
  std::string command = "apt-get -q";
  for (const std::string& option :
       {std::string("Dir::Etc::SourceList=/dev/null"), "Dir::Etc::SourceParts=" + folder_ + "/sources.list.d",
        "Dir::State::Lists=" + folder_ + "/lists", "Dir::Cache=" + folder_ + "/cache",
        std::string("APT::Sandbox::User=root"), std::string("APT::Get::List-Cleanup=0")})
    command += " -o " + shell_word(option);
  return command;
}

bool SourcePackages::prepare(std::string& why) {
  if (prepared_) return true;
  std::string parts = folder_ + "/sources.list.d";
  for (const char* name : {"sources.list.d", "lists/partial", "cache/archives/partial", "packages"})
    fs::create_directories(folder_ + "/" + name);
  std::ofstream(parts + "/main.list") << as_deb_src_lines(read_text("/etc/apt/sources.list"));
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/etc/apt/sources.list.d", error)) {
    std::string text = read_text(entry.path()), name = entry.path().filename();
    if (entry.path().extension() == ".list") std::ofstream(parts + "/" + name) << as_deb_src_lines(text);
    if (entry.path().extension() == ".sources") std::ofstream(parts + "/" + name) << as_deb_src_stanzas(text);
  }
  // Some archives have no sources: apt then complains, but the lists of the others are there.
  std::string ignored;
  if (!run_logged(apt() + " update", folder_ + "/update.log", ignored) &&
      fs::directory_iterator(folder_ + "/lists") == fs::directory_iterator()) {
    why = ignored;
    return false;
  }
  return prepared_ = true;
}

std::string SourcePackages::unpack(const std::string& package, std::string& why) {
  std::string folder = folder_ + "/packages/" + package, source = folder + "/source";
  if (fs::exists(source + ".complete")) return source;
  if (!prepare(why)) return "";
  std::error_code error;
  fs::remove_all(folder, error);
  fs::create_directories(folder);
  std::string in_folder = "cd " + shell_word(folder) + " && ";
  if (!run_logged(in_folder + apt() + " source --download-only " + shell_word(package),
                  folder + "/download.log", why))
    return "";
  if (!run_logged(in_folder + "dpkg-source --no-check -x *.dsc source", folder + "/unpack.log", why))
    return "";
  std::ofstream(source + ".complete") << package << "\n";
  return source;
}

} // namespace footrace::bench
