// RUN: %e2e %s
// A message through a pipe, a socket pair or an eventfd orders the sender's past before the receiver's
// future.
#include "e2e.h"
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

int in[3], out[3], data[3];

static void* sender(void* unused) {
  for (int i = 0; i < 3; ++i) {
    unsigned long one = 1;
    data[i] = 1; // NORACE
    require(write(out[i], &one, sizeof one) == sizeof one, "write");
  }
  return NULL;
}

static void* receiver(void* unused) {
  for (int i = 0; i < 3; ++i) {
    unsigned long value;
    require(read(in[i], &value, sizeof value) == sizeof value, "read");
    KEEP(data[i]); // NORACE
  }
  return NULL;
}

int main(void) {
  int ends[2];
  require(pipe(ends) == 0, "pipe");
  in[0] = ends[0], out[0] = ends[1];
  require(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
  in[1] = ends[0], out[1] = ends[1];
  in[2] = out[2] = eventfd(0, 0);
  run_two(sender, receiver);
}
