#include "driver/messages.h"

#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace footrace::driver {

bool may_colour(int descriptor) {
  const char* no_color = getenv("NO_COLOR");
  if (no_color && *no_color) return false;
  const char* term = getenv("TERM");
  return isatty(descriptor) && (!term || strcmp(term, "dumb") != 0);
}

static void say(const char* colour, const char* label, const llvm::Twine& message) {
  bool coloured = *colour && may_colour(STDERR_FILENO);
  llvm::errs() << "footrace: " << (coloured ? colour : "") << label << (coloured ? "\033[0m" : "") << message
               << '\n';
}

int usage_error(const llvm::Twine& message) {
  say("\033[1;31m", "error: ", message);
  return ExitUsage;
}

int failure(const llvm::Twine& message) {
  say("\033[1;31m", "error: ", message);
  return ExitFailure;
}

void note(const llvm::Twine& message) { say("", "", message); }

} // namespace footrace::driver
