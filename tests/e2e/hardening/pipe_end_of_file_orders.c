// RUN: %e2e %s
// End of file comes after the close of the other end, and after what the closing thread did before.
#include "e2e.h"
#include <unistd.h>

int message;
static int ends[2];

static void* closer(void* unused) {
  message = 1; // NORACE
  close(ends[1]);
  return NULL;
}
static void* reader(void* unused) {
  char byte;
  require(read(ends[0], &byte, 1) == 0, "end of file");
  KEEP(message); // NORACE
  return NULL;
}

int main(void) {
  require(pipe(ends) == 0, "pipe");
  run_two(closer, reader);
}
