// What `footrace prove` prints, and the codes that it exits with.
#pragma once

#include "driver/prove_options.h"
#include "prove/verdict.h"

namespace footrace::driver {

enum ProveExit : int { ExitPairs = 66, ExitUnknown = 3 };
int exit_code_of(prove::Outcome outcome);

void print_statistics(const prove::Analysis& analysis);
void print_verdict(const prove::Verdict& verdict, const ProveOptions& options);

} // namespace footrace::driver
