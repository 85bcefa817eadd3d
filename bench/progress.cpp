#include "bench/progress.h"

#include "driver/messages.h"

#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

namespace footrace::bench {

Progress::Progress() : terminal_(isatty(STDERR_FILENO)) {}

void Progress::clear() {
  if (shown_) llvm::errs() << "\r\033[K";
  shown_ = false;
}

void Progress::show(const std::string& text) {
  clear();
  llvm::errs() << "footrace: " << text;
  shown_ = true;
}

void Progress::step(const llvm::Twine& what) {
  ++done_;
  std::string text = "[" + std::to_string(done_) + "/" + std::to_string(total_) + "] " + what.str();
  if (terminal_)
    show(text);
  else
    driver::note(text);
}

void Progress::detail(const llvm::Twine& what) {
  if (terminal_) show("[" + std::to_string(done_) + "/" + std::to_string(total_) + "] " + what.str());
}

void Progress::failed(const llvm::Twine& what) {
  clear();
  driver::failure("FAILED: " + what);
}

void Progress::skipped(const llvm::Twine& what) {
  clear();
  driver::note("skipped: " + what);
}

} // namespace footrace::bench
