// The footrace-reporter process: one per user process, started at the first race.
// Both directions are one socket (no SIGPIPE for the user's program) on a high descriptor; the reporter is
// nobody's child and in a session of its own, so the user's wait(), SIGCHLD and Ctrl-C do not meet it. The
// reporter's descriptors: 0 and 1 the socket, 2 the program's stderr, 3 the program's stdout. Concurrency:
// protected by the caller's report lock.
#pragma once

#include "base/types.h"

namespace footrace {

enum class ReporterStart : u8 { Running, Started, Failed };
// Makes sure that the reporter runs. Started: it is new and knows nothing yet. Failed: reporter_problem()
// says why.
ReporterStart start_reporter();
const char* reporter_problem();

bool send_to_reporter(const char* data, u64 size);
// The reporter's answer to a race: R(eported), S(uppressed), D(uplicate), or 0 when none came (see
// reporter_problem()).
char reporter_answer();
// Ends the conversation and waits for the reporter to be done, for a bounded time.
void end_reporter();
// In the child of fork: the parent's reporter is not ours.
void reporter_after_fork();

} // namespace footrace
