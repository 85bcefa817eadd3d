// The command line of `footrace bench`.
#pragma once

#include "bench/catalog.h"

#include <span>
#include <string>
#include <vector>

namespace footrace::bench {

enum class What { Programs, Idioms, Real, Scaling };
const char* name_of(What what);

struct Options {
  What what = What::Programs;
  std::vector<std::string> programs; // empty: all
  std::vector<std::string> presets;  // never empty after parse_options
  std::vector<unsigned> threads = {2};
  std::string size = "default";
  unsigned runs = 3;
  std::string json, html, results, build_dir; // files; "" means none, of html one in build_dir
  std::string command;                        // as the user could type it again
};

// What --programs chooses from, of the programs that are in this source tree.
std::span<const Program> programs_of(What what);

// Returns 0, or the exit code after saying what is wrong.
int parse_options(const std::vector<std::string>& arguments, Options& options);

} // namespace footrace::bench
