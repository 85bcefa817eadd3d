// What `footrace prove` is given, as files that prove/program.h reads: sources are compiled, a few at a time, with the flags of their build.
#pragma once

#include "driver/installation.h"
#include "driver/prove_options.h"

#include <set>

namespace footrace::driver {

class ProveInputs {
public:
  explicit ProveInputs(std::string folder) : folder_(std::move(folder)) {}

  // Returns 0, or the exit code after saying what is wrong.
  int gather(const ProveOptions& options, const Installation& installation);

  const std::vector<std::string>& files() const { return files_; }
  // Headers that the sources include; debug information names only those that hold code.
  const std::set<std::string>& headers() const { return headers_; }

private:
  struct Source {
    std::string file, folder;
    std::vector<std::string> flags;
  };

  int find_sources(const ProveOptions& options, std::vector<Source>& sources);
  int compile(const std::vector<Source>& sources, const ProveOptions& options,
              const Installation& installation);
  // With the sources of these numbers compiled: says so if several have a main.
  int ask_for_main(const std::vector<Source>& sources, const std::vector<std::size_t>& numbers);
  int choose_main(const std::vector<Source>& sources, const std::string& main_file);
  void read_headers(const std::string& makefile, const std::string& folder);

  std::string folder_; // for bitcode
  std::vector<std::string> files_;
  std::set<std::string> headers_;
};

} // namespace footrace::driver
