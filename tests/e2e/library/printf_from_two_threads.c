// RUN: %e2e %s
// printf, puts, fprintf and snprintf from several threads: stdio locks, nothing to report.
// EXPECT-OUT: thread 1 line 19
#include "e2e.h"

static void* body(void* argument) {
  char text[64];
  for (int i = 0; i < 20; ++i) {
    printf("thread %ld line %d\n", (long)argument, i);
    snprintf(text, sizeof text, "%ld-%d", (long)argument, i);
    puts(text);
    fprintf(stdout, "%s %f\n", text, 1.5);
  }
  return NULL;
}

int main(void) { run_many(3, body); }
