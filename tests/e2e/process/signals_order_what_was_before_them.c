// RUN: %e2e %s
// What a thread has done before it sends a signal is ordered before the handler, and before a wait that takes the signal; what it does later is not.
#include "e2e.h"
#include <signal.h>
#include <time.h>
#include <unistd.h>

static int before, after, waited, queued, timed, late;
static struct InvisibleGate gate;
static sigset_t waits;

static void handler(int signo) {
  ++before; // NORACE
  ++after;  // RACE(after)
  invisible_signal(&gate);
}

static void* receiver(void* unused) {
  int signo;
  siginfo_t info;
  struct timespec long_enough = {60, 0};
  invisible_signal(&gate);
  invisible_wait(&gate, 3); // the handler and what comes after it
  require(sigwait(&waits, &signo) == 0 && signo == SIGUSR2, "sigwait");
  ++waited; // NORACE
  require(sigwaitinfo(&waits, &info) == SIGRTMIN, "sigwaitinfo");
  ++queued; // NORACE
  require(sigtimedwait(&waits, &info, &long_enough) == SIGRTMIN + 1, "sigtimedwait");
  ++timed; // NORACE
  invisible_wait(&gate, 4);
  ++late; // RACE(late)
  return unused;
}

int main(void) {
  union sigval nothing = {0};
  sigemptyset(&waits);
  sigaddset(&waits, SIGUSR2);
  sigaddset(&waits, SIGRTMIN);
  sigaddset(&waits, SIGRTMIN + 1);
  pthread_sigmask(SIG_BLOCK, &waits, NULL);
  signal(SIGUSR1, handler);
  pthread_t thread = start(receiver, NULL);
  invisible_wait(&gate, 1);
  ++before; // NORACE
  pthread_kill(thread, SIGUSR1);
  invisible_wait(&gate, 2);
  ++after; // RACE(after)
  invisible_signal(&gate);
  ++waited; // NORACE
  pthread_kill(thread, SIGUSR2);
  ++queued; // NORACE
  sigqueue(getpid(), SIGRTMIN, nothing);
  ++timed; // NORACE
  kill(getpid(), SIGRTMIN + 1);
  ++late; // RACE(late)
  invisible_signal(&gate);
  join(thread);
  return 0;
}
