// `footrace flags`: what the wrappers add, for build systems that call clang themselves
// (FootraceConfig.cmake).
#include "driver/commands.h"
#include "driver/compile.h"
#include "driver/messages.h"
#include "driver/reporter_object.h"

#include "llvm/Support/raw_ostream.h"

namespace footrace::driver {

// One option per line; its values follow it, separated by tabs.
static void print(const OptionGroups& groups) {
  for (const auto& group : groups) {
    for (size_t i = 0; i < group.size(); i++) llvm::outs() << (i ? "\t" : "") << group[i];
    llvm::outs() << '\n';
  }
}

int command_flags(const std::vector<std::string>& arguments) {
  std::string kind = arguments.empty() ? "" : arguments[0];
  bool right = (kind == "compile" && arguments.size() == 1) ||
               (kind == "link-shared" && arguments.size() == 1) || (kind == "link" && arguments.size() == 2);
  if (!right) return usage_error("expected 'flags compile', 'flags link OBJECT' or 'flags link-shared'");
  std::optional<Installation> installation = find_installation();
  if (!installation) return ExitFailure;
  if (kind == "compile") print(compile_flags(*installation, {}));
  if (kind == "link-shared") print(shared_link_flags());
  if (kind == "link") {
    if (!write_reporter_object(*installation, arguments[1])) return ExitFailure;
    print(link_flags(*installation, arguments[1]));
  }
  return ExitSuccess;
}

} // namespace footrace::driver
