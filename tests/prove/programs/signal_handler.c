// A handler may run at any time, also while another thread is in it.
// VERDICT: pairs
#include <signal.h>
static int count, installed;
static void handler(int number) {
  count++; // RACE
}
int main(void) {
  struct sigaction action;
  installed = 1;
  action.sa_handler = handler;
  sigaction(SIGUSR1, &action, 0);
  count++; // RACE
  return installed;
}
