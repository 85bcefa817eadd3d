// RUN: %e2e %s
// Variadic arguments are the callee's own; what a pointer among them points to is not.
#include "e2e.h"
#include <stdarg.h>

int shared;
static struct InvisibleGate gate;

__attribute__((noinline)) static int sum(int count, ...) {
  int total = 0;
  va_list arguments, copy;
  va_start(arguments, count);
  va_copy(copy, arguments);
  for (int i = 0; i < count; ++i) total += va_arg(arguments, int); // NORACE
  va_end(arguments);
  for (int i = 0; i < count; ++i) total += va_arg(copy, int); // NORACE
  *va_arg(copy, int*) = total;                                // RACE
  va_end(copy);
  return total;
}

static void* body(void* argument) {
  int unused;
  for (int i = 0; i < 50; ++i) sum(8, i, 2, 3, 4, 5, 6, 7, 8, &unused);
  invisible_wait(&gate, (int)(long)argument);
  sum(2, 1, 2, &shared);
  invisible_signal(&gate);
  return NULL;
}

int main(void) { run_many(2, body); }
