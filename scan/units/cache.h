// Where units are kept between runs: one file per translation unit and command, in one folder.
#pragma once

#include "scan/units/compile_commands.h"
#include "scan/units/unit.h"

#include <map>

namespace footrace::scan::units {

class Cache {
public:
  explicit Cache(std::string folder) : folder_(std::move(folder)) {}

  // The file for the unit of a command, whether it is there or not.
  std::string file_of(const CompileCommand& command) const;
  // The unit, if it is there and neither the command nor a file that it was made from has changed.
  std::optional<Unit> find(const CompileCommand& command);

private:
  bool is_unchanged(const Dependency& dependency);

  std::string folder_;
  std::map<std::string, std::optional<std::uint64_t>> digests_; // of files, in this run
};

} // namespace footrace::scan::units
