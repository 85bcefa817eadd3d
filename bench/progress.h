// Tells on standard error how far the bench is: one line that changes on a terminal, plain lines elsewhere.
#pragma once

#include "llvm/ADT/Twine.h"
#include <string>

namespace footrace::bench {

class Progress {
public:
  Progress();
  ~Progress() { clear(); }
  void total(size_t steps) { total_ = steps, done_ = 0; }
  void step(const llvm::Twine& what);   // the next step begins
  void detail(const llvm::Twine& what); // only on a terminal
  void failed(const llvm::Twine& what); // loud, and stays
  void skipped(const llvm::Twine& what);

private:
  void clear();
  void show(const std::string& text);
  bool terminal_, shown_ = false;
  size_t total_ = 0, done_ = 0;
};

} // namespace footrace::bench
