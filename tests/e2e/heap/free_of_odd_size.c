// RUN: %e2e %s
// A block whose size is no multiple of 4 is freed, and another thread gets its memory before the first one synchronises again: nothing of the free may come late.
#include "e2e.h"
#include <stdatomic.h>

enum { kBlocks = 40 };
static char* blocks[kBlocks];
static char* again[kBlocks];
static pthread_mutex_t handed_over = PTHREAD_MUTEX_INITIALIZER, unrelated = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stage; // relaxed: orders nothing

static void wait_for(int what) {
  while (atomic_load_explicit(&stage, memory_order_relaxed) != what) sched_yield();
}
static void go_on(int to) { atomic_store_explicit(&stage, to, memory_order_relaxed); }

static void* maker(void* unused) {
  pthread_mutex_lock(&handed_over);
  for (int i = 0; i < kBlocks; ++i) {
    blocks[i] = malloc(54);
    blocks[i][0] = 1; // NORACE
  }
  pthread_mutex_unlock(&handed_over);
  go_on(1);
  wait_for(2);
  for (int i = 0; i < kBlocks; ++i) {
    again[i] = malloc(56);
    again[i][53] = 2; // NORACE
  }
  go_on(3);
  wait_for(4);
  for (int i = 0; i < kBlocks; ++i) free(again[i]); // NORACE
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, maker, NULL);
  wait_for(1);
  pthread_mutex_lock(&handed_over);
  for (int i = 0; i < kBlocks; ++i) free(blocks[i]); // NORACE
  go_on(2);
  wait_for(3);
  pthread_mutex_unlock(&handed_over);
  pthread_mutex_lock(&unrelated);
  pthread_mutex_unlock(&unrelated);
  go_on(4);
  pthread_join(thread, NULL);
}
