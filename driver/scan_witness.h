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
            std::string folder, std::string scratch, unsigned jobs);

  // Adds to the evidence of the finding what came of it; confirmed: its confidence becomes Certain.
  bool confirm(const scan::domain::Race& race, const scan::il::Program& program,
               const scan::witness::Library& library, findings::Finding& finding);

private:
  struct Attempt {
    std::string source, object, program, log;
    const scan::units::CompileCommand* command = nullptr;
  };
  // Empty, or what went wrong.
  std::string build(const Attempt& attempt);
  std::string link(const Attempt& attempt, bool with_project);
  // Compiles the other sources of the project, once: what a witness calls may be in any of them.
  void build_project();
  bool observe(const Attempt& attempt, const findings::Finding& finding, std::string& why_not);

  const scan::units::CompileCommand* command_of(const std::string& source) const;
  std::vector<std::string> compile_command(const scan::units::CompileCommand& unit, const std::string& source,
                                           const std::string& object) const;

  const Installation& installation_;
  std::vector<scan::units::CompileCommand> commands_;
  std::string folder_, scratch_, archive_;
  unsigned jobs_;
  bool project_built_ = false;
};

} // namespace footrace::driver
