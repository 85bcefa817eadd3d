// RUN: %e2e %s
// An atomic operation on a page without access faults inside the runtime; the handler makes the page
// accessible, and the operation then takes place and orders.
#include "e2e.h"
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

int message;
static _Atomic int* flag;

static void repair(int signo, siginfo_t* info, void* context) {
  if (mprotect(flag, 4096, PROT_READ | PROT_WRITE)) _Exit(98);
}

static void* sender(void* unused) {
  message = 1; // NORACE
  atomic_store_explicit(flag, 1, memory_order_release);
  return NULL;
}
static void* receiver(void* unused) {
  while (!atomic_load_explicit(flag, memory_order_acquire)) {
  }
  KEEP(message); // NORACE
  return NULL;
}

int main(void) {
  struct sigaction action = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, NULL);
  flag = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(flag != MAP_FAILED, "mmap");
  run_two(receiver, sender);
}
