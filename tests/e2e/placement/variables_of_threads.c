// RUN: %e2e %s
// Thread-local variables: those that nobody else can get need no check, also in loops and across calls; those whose address another thread gets race
// as any other memory, and a thread that ends takes them with it.
#include "e2e.h"

static _Thread_local int mine;
static _Thread_local int mine_too[64];
static _Thread_local int lent, lent_row[64];
_Thread_local int known;
static void *borrowed, *borrowed_row, *borrowed_known;
static volatile int seed = 5;
static struct InvisibleGate published, done;

__attribute__((noinline)) static void fill(int* row, int n) {
  for (int i = 0; i < n; ++i) row[i] = seed + i; // RACE(row)
}

static void* owner(void* unused) {
  mine = seed; // NORACE
  for (int i = 0; i < 64; ++i) mine_too[i] += mine + i;
  invisible_store(&borrowed, &lent);
  invisible_store(&borrowed_row, lent_row);
  invisible_store(&borrowed_known, &known);
  lent = seed; // RACE(lent)
  fill(lent_row, 64);
  known = seed; // RACE(known)
  invisible_signal(&published);
  invisible_wait(&done, 1);
  KEEP(mine + mine_too[mine & 63]);
  return NULL;
}

static void* guest(void* unused) {
  invisible_wait(&published, 1);
  mine = seed; // NORACE: another variable
  for (int i = 0; i < 64; ++i) mine_too[i] -= mine;
  int* one = invisible_load(&borrowed);
  int* of_owner = invisible_load(&borrowed_known);
  *one = seed; // RACE(lent)
  fill(invisible_load(&borrowed_row), 64);
  *of_owner = seed; // RACE(known)
  known = seed;     // NORACE: this thread's
  KEEP(mine + mine_too[mine & 63] + known);
  invisible_signal(&done);
  return NULL;
}

int main(void) { run_two(owner, guest); }
