// VERDICT: race-free by escaping
#include <signal.h>
#include <stdatomic.h>
static atomic_int count;
static void handler(int number) { count++; }
int main(void) {
  struct sigaction action;
  action.sa_handler = handler;
  sigaction(SIGUSR1, &action, 0);
  return count;
}
