// The commands of `footrace`. A new command is one function and one row of the table in commands.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace footrace::driver {

using Arguments = std::vector<std::string>;

struct Command {
  const char* name;
  const char* synopsis; // after "footrace "
  const char* summary;  // one line, for the list
  const char* details;  // for `footrace help NAME`
  int (*run)(const Arguments&);
};

std::span<const Command> all_commands();
const Command* find_command(const std::string& name);
// The command whose name is nearest, or "" if none is near.
std::string nearest_name(const std::string& name);

int command_bench(const Arguments& arguments); // as prove and scan: analysis.h
int command_check(const Arguments& arguments);
int command_cxx(const Arguments& arguments);
// A tool of the LLVM that clang is of: "llvm-ar".
int run_beside_clang(const std::string& tool, const Arguments& arguments);
int command_cc(const Arguments& arguments);
int command_explain(const Arguments& arguments); // report.cpp
int command_explain_checks(const Arguments& arguments);
int command_prove(const Arguments& arguments);
int command_scan(const Arguments& arguments);
int command_record(const Arguments& arguments);
int command_replay(const Arguments& arguments);
int command_report(const Arguments& arguments);
int command_run(const Arguments& arguments);
int command_trace(const Arguments& arguments);
int command_completion(const Arguments& arguments); // manual.cpp
int command_flags(const Arguments& arguments);
int command_help(const Arguments& arguments);
int command_version(const Arguments& arguments);

} // namespace footrace::driver
