// RUN: %e2e %s
// Who learns from epoll that a descriptor is readable comes after who made it so.
#include "e2e.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

int message;
static int event, poller;

static void* sender(void* unused) {
  unsigned long long one = 1;
  message = 1; // NORACE
  require(write(event, &one, sizeof one) == sizeof one, "write");
  return NULL;
}
static void* waiter(void* unused) {
  struct epoll_event got;
  require(epoll_wait(poller, &got, 1, -1) == 1, "epoll_wait");
  KEEP(message); // NORACE
  return NULL;
}

int main(void) {
  event = eventfd(0, 0);
  poller = epoll_create1(0);
  struct epoll_event wanted = {.events = EPOLLIN, .data.fd = event};
  require(epoll_ctl(poller, EPOLL_CTL_ADD, event, &wanted) == 0, "epoll_ctl");
  run_two(sender, waiter);
}
