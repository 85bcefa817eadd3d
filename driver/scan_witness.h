// `footrace scan --witness`: races -> programs that make them happen, compiled with the flags of the unit, run under our runtime.
#pragma once

#include "driver/installation.h"
#include "findings/finding.h"
#include "scan/units/compile_commands.h"
#include "scan/witness/program.h"

#include <string>
#include <vector>

namespace footrace::driver {

class Witnesses {
public:
  // Programs are kept in `folder`; what they are made with is in `scratch`, which is the caller's to remove.
  Witnesses(const Installation& installation, std::vector<scan::units::CompileCommand> commands,
            std::string folder, std::string scratch, unsigned jobs, std::vector<std::string> link_flags);

  // Adds to the explanation of the finding what came of it; confirmed: its confidence becomes Certain.
  // A race of globals is tried with the innermost functions that have it (innermost()) before those that are reported.
  bool confirm(const scan::domain::Race& race, const scan::il::Program& program,
               const scan::domain::Summaries& summaries, const scan::witness::Library& library,
               findings::Finding& finding);

private:
  // One file of a witness, with the flags of the source that it includes.
  struct File {
    std::string source, object;
    std::vector<std::string> flags;
    std::string folder; // where it is compiled
  };
  struct Attempt {
    std::vector<File> files;
    std::string program, log;
    std::string unlinked; // what it lacks, if it was linked nevertheless
  };
  // Empty, or why the race was not seen. `where`: the file that shows it.
  std::string attempt(const scan::domain::Race& race, const scan::il::Program& program,
                      const scan::witness::Library& library, const findings::Finding& finding,
                      std::string& where);
  // Where its first file is then.
  std::string put_aside(const Attempt& attempt) const;
  std::string write_files(const scan::witness::Witness& witness, const std::string& name, Attempt& attempt);
  // Empty, or what went wrong.
  std::string build(Attempt& attempt);
  std::string link(const Attempt& attempt, const std::vector<std::string>& more);
  // Compiles the other sources of the project, once: what a witness calls may be in any of them.
  void build_project();
  bool observe(const Attempt& attempt, const findings::Finding& finding, std::string& why_not);

  const scan::units::CompileCommand* command_of(const std::string& source) const;
  std::vector<std::string> compile_command(const scan::units::CompileCommand& unit, const std::string& source,
                                           const std::string& object) const;

  const Installation& installation_;
  std::vector<scan::units::CompileCommand> commands_;
  std::string folder_, scratch_, archive_;
  std::vector<std::string> link_flags_;
  unsigned jobs_;
  bool project_built_ = false;
};

} // namespace footrace::driver
