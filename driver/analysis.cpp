#include "driver/analysis.h"

#include "driver/messages.h"
#include "driver/process.h"

#include <unistd.h>

namespace footrace::driver {

int forward_to_analysis(const Arguments& words) {
  std::optional<Installation> installation = find_installation();
  if (!installation) return ExitFailure;
  if (access(installation->analysis.c_str(), X_OK) != 0)
    return failure("'" + words[0] + "' needs '" + installation->analysis +
                   "', which is not there; in a checkout './footrace " + words[0] +
                   "' builds it, elsewhere install Footrace again");
  Arguments command = {installation->analysis};
  command.insert(command.end(), words.begin(), words.end());
  return replace_with(command);
}

static int forward(const char* name, const Arguments& arguments) {
  Arguments words = {name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return forward_to_analysis(words);
}

int command_bench(const Arguments& arguments) { return forward("bench", arguments); }
int command_prove(const Arguments& arguments) { return forward("prove", arguments); }
int command_scan(const Arguments& arguments) { return forward("scan", arguments); }

Embedder& embedder() {
  static Embedder here = nullptr;
  return here;
}

} // namespace footrace::driver
