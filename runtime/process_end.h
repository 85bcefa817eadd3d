// How the process ends: reports are complete, and the exit code says whether there were any. A program that
// succeeded but raced ends with the option `exitcode` instead of 0; one that failed keeps its own code, and
// one that is killed or aborts ends as it would.
#pragma once

namespace footrace {

// Called once at start-up, before the program can register exit handlers of its own: ours then runs last.
void watch_process_end();

// The last thing before the process ends with `status`: completes the reports and gives the code to end with.
int final_code(int status);
// quick_exit does not tell its handlers the status.
void remember_quick_status(int status);

} // namespace footrace
