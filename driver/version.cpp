#include "config.h"
#include "driver/commands.h"
#include "driver/messages.h"

#include "llvm/Support/raw_ostream.h"

namespace footrace::driver {

// Changes whenever the pass or the runtime does.
static const char identity[] =
#include "identity.inc"
    ;

int command_version(const Arguments& arguments) {
  if (!arguments.empty()) return usage_error("'version' takes no arguments");
  llvm::outs() << "footrace " FOOTRACE_VERSION " (LLVM " FOOTRACE_LLVM_VERSION ", build " << identity
               << ")\n";
  return ExitSuccess;
}

} // namespace footrace::driver
