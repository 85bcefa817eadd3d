// RUN: %e2e %s
// FLAGS: -flto=full --lto=link -fuse-ld=lld
// A counter that a loop updates under a condition is not accessed where the condition never holds: LICM would read it before the
// loop. The link step places the checks here, and sees the whole program.
#include "e2e.h"

enum { size = 64 };
struct Stats {
  long hits, misses;
} stats;
int values[size], on, off;
static struct InvisibleGate gate;

__attribute__((noinline)) static void count_hits(void) {
  for (int i = 0; i < size; ++i)
    if (off) stats.hits += values[i]; // NORACE
}

__attribute__((noinline)) static void count_misses(void) {
  for (int i = 0; i < size; ++i)
    if (on) stats.misses += values[i]; // RACE
}

static void* loops(void* unused) {
  count_hits();
  count_misses();
  invisible_signal(&gate);
  return NULL;
}

static void* writer(void* unused) {
  invisible_wait(&gate, 1);
  stats.hits = 1;   // NORACE
  stats.misses = 1; // RACE
  return NULL;
}

int main(int argc, char** argv) {
  on = argc < 10;
  off = argc > 10;
  for (int i = 0; i < size; ++i) values[i] = argc * i;
  run_two(loops, writer);
  KEEP(stats.hits + stats.misses);
}
