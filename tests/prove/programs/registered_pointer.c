// A pointer that goes through the kernel: whoever waits for events gets what another thread registered.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>

struct session {
  int bytes;
};
static int events;

static void* worker(void* argument) {
  struct epoll_event ready;
  epoll_wait(events, &ready, 1, -1);
  struct session* session = ready.data.ptr;
  session->bytes = 1; // RACE
  return NULL;
}

int main(void) {
  pthread_t thread;
  struct session* session = malloc(sizeof *session);
  struct epoll_event wanted = {EPOLLIN, {.ptr = session}};
  events = epoll_create1(0);
  pthread_create(&thread, NULL, worker, NULL);
  epoll_ctl(events, EPOLL_CTL_ADD, 0, &wanted);
  session->bytes = 2; // RACE
  pthread_join(thread, NULL);
  return 0;
}
