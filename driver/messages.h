// How the driver speaks: on standard error, "footrace: ...", in colour only on a terminal and without
// NO_COLOR.
#pragma once

#include "llvm/ADT/Twine.h"

namespace footrace::driver {

// The exit codes of the footrace command; README.md documents them. Programs' own codes are passed through.
enum ExitCode : int {
  ExitSuccess = 0,
  ExitFailure = 1, // something went wrong that the command line is not to blame for
  ExitUsage = 2,   // the command line is wrong, or names something that cannot be used
};

// True if text written to the descriptor should carry colour.
bool may_colour(int descriptor);

// Both return the code, so that callers can `return usage_error(...)`.
int usage_error(const llvm::Twine& message);
int failure(const llvm::Twine& message);
void note(const llvm::Twine& message);

} // namespace footrace::driver
