// RUN: %e2e %s
// The program sees its own handlers, SA_RESETHAND resets, and signal() returns what was installed.
#include "e2e.h"
#include <signal.h>
#include <string.h>

static volatile sig_atomic_t runs;
static void plain(int signo) { ++runs; }
static void with_info(int signo, siginfo_t* info, void* context) { runs += info->si_signo == signo; }

int main(void) {
  struct sigaction now;
  memset(&now, 0, sizeof now);
  require(signal(SIGUSR1, plain) == SIG_DFL, "the first handler replaces the default");
  require(sigaction(SIGUSR1, NULL, &now) == 0 && now.sa_handler == plain, "sigaction returns our handler");
  require(signal(SIGUSR1, SIG_IGN) == plain, "signal returns our handler");
  raise(SIGUSR1);
  require(runs == 0, "ignored");

  struct sigaction once = {.sa_sigaction = with_info, .sa_flags = (int)SA_RESETHAND | SA_SIGINFO};
  require(sigaction(SIGUSR2, &once, NULL) == 0, "sigaction");
  require(sigaction(SIGUSR2, NULL, &now) == 0 && now.sa_sigaction == with_info &&
              (now.sa_flags & (int)SA_RESETHAND),
          "flags are returned");
  raise(SIGUSR2);
  require(runs == 1, "it ran");
  require(sigaction(SIGUSR2, NULL, &now) == 0 && now.sa_handler == SIG_DFL, "reset to the default");
}
