// VERDICT: race-free by may-happen-in-parallel
// What goes through the pipe is no address.
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void* work(void* unused) {
  int received = 0;
  if (read(ends[0], &received, sizeof received) == sizeof received) received++;
  return unused;
}

int main(void) {
  if (pipe(ends)) return 1;
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  int sent = 1;
  if (write(ends[1], &sent, sizeof sent) < 0) return 1;
  sent = 2;
  pthread_join(thread, NULL);
  return sent;
}
