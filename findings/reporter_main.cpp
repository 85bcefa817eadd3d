// footrace-reporter: started by the runtime on the first race, ends when the program closes its side of the
// pipe.
#include "findings/reporter.h"

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char**) {
  if (argc > 1) {
    std::fputs("footrace-reporter is started by a program built with footrace; it takes no arguments.\n"
               "It reads races on standard input (see docs/findings.md) and answers on standard output.\n",
               stderr);
    return 2;
  }
  // Ctrl-C and a dying terminal reach the whole process group. The program decides what they mean; we stay
  // until it is gone.
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) std::signal(signal, SIG_IGN);
  // 0 and 1 are the conversation, 2 and 3 the program's stderr and stdout. Whatever else leaked in, such as
  // the end of a pipe that someone waits to see closed, is not ours to hold open.
  close_range(4, ~0u, 0);
  // A program without a standard error: what is opened next must not take its place.
  if (fcntl(2, F_GETFD) < 0) (void)!open("/dev/null", O_WRONLY); // the lowest free one: 2
  return footrace::findings::run_reporter(0, 1);
}
