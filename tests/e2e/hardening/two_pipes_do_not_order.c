// RUN: %e2e %s
// What is sent through one pipe orders nothing for who receives from another.
#include "e2e.h"
#include <unistd.h>

int message;
static int first[2], second[2];
static struct InvisibleGate gate;

static void* sender(void* unused) {
  message = 1; // RACE
  require(write(first[1], "x", 1) == 1, "write");
  invisible_signal(&gate);
  return NULL;
}
static void* receiver(void* unused) {
  char byte;
  invisible_wait(&gate, 1);
  require(read(second[0], &byte, 1) == 1, "read");
  KEEP(message); // RACE
  return NULL;
}

int main(void) {
  require(pipe(first) == 0 && pipe(second) == 0, "pipe");
  require(write(second[1], "y", 1) == 1, "write");
  run_two(sender, receiver);
}
