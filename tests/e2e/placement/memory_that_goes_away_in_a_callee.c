// RUN: %e2e %s
// Free and realloc in a callee, and the end of a variable's life: what was accessed before is checked before, and the next owner of the memory is
// not to blame.
#include "e2e.h"

struct Box {
  int *data, length;
};
static struct InvisibleGate gate;
static struct Box grown;
static int *freed, *old;
static void* volatile lent;

__attribute__((noinline)) static void release(int* p) { free(p); }
__attribute__((noinline)) static void grow(struct Box* b) {
  b->length += 4000;
  b->data = realloc(b->data, sizeof(int) * (size_t)b->length);
}

__attribute__((noinline)) static void write_and_release(int* p, int n) {
  for (int i = 0; i < n; ++i) p[i] = i; // RACE(freed)
  release(p);
}

__attribute__((noinline)) static void append(struct Box* b, int n) {
  for (int i = 0; i < n; ++i) {
    if (i == b->length) grow(b);
    b->data[i] = i; // RACE(grown)
  }
}

__attribute__((noinline)) static void lend(int which) {
  if (which) {
    int local[16];
    invisible_store((void**)&lent, local);
    for (int i = 0; i < 16; ++i) local[i] = i; // RACE(lent)
    ESCAPE(local);
    invisible_signal(&gate);
    invisible_wait(&gate, 3);
  }
}

static void* walker(void* unused) {
  invisible_wait(&gate, 1);
  write_and_release(freed, 100);
  int* again = malloc(sizeof(int) * 100);
  for (int i = 0; i < 100; ++i) again[i] = i; // NORACE: new memory, if at the same place
  free(again);
  append(&grown, 20);
  lend(1);
  return NULL;
}

static void* visitor(void* unused) {
  KEEP(freed[99]); // RACE(freed)
  KEEP(old[9]);    // RACE(grown)
  invisible_signal(&gate);
  invisible_wait(&gate, 2);
  ((int*)invisible_load((void**)&lent))[7] = 1; // RACE(lent)
  invisible_signal(&gate);
  return NULL;
}

int main(void) {
  freed = calloc(100, sizeof(int));
  old = grown.data = calloc(10, sizeof(int));
  grown.length = 10;
  run_two(walker, visitor);
}
