// The control is reset, so the function may run again.
// VERDICT: pairs
#include <pthread.h>
#include <string.h>
static struct {
  long pad;
  pthread_once_t once;
} state;
static int table;
static void fill(void) {
  table = 42; // RACE
}
static void* use(void* arg) {
  pthread_once(&state.once, fill);
  return 0;
}
int main(void) {
  pthread_t one;
  pthread_once(&state.once, fill);
  memset(&state, 0, sizeof state);
  pthread_create(&one, 0, use, 0);
  return table; // RACE
}
