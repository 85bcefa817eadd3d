// VERDICT: pairs
// An address goes to another thread through a pipe, and is used here as well.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];

static void* work(void* unused) {
  int* received = NULL;
  if (read(ends[0], &received, sizeof received) == sizeof received) *received = 1; // RACE
  return unused;
}

int main(void) {
  if (pipe(ends)) return 1;
  int* sent = malloc(sizeof *sent);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  if (write(ends[1], &sent, sizeof sent) < 0) return 1;
  *sent = 2; // RACE
  pthread_join(thread, NULL);
  return 0;
}
