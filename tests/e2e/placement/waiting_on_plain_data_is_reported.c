// RUN: %e2e %s
// EXIT: 66
// Loops that only end when another thread writes: the reads are checked while the loop runs, not after it.
#include "e2e.h"

#include <sched.h>

volatile int flag;
volatile char letters[8];
struct Queue {
  int head, tail;
} queue;
int hidden;
static struct InvisibleGate gate;

__attribute__((noinline)) static int peek(volatile int* p) { return *p; } // RACE(peek)

static void* writer(void* unused) {
  invisible_wait(&gate, 1);
  flag = 1;                    // RACE(flag)
  letters[5] = 'x';            // RACE(letter)
  queue.tail = 1;              // RACE(queue)
  *(volatile int*)&hidden = 1; // RACE(peek)
  return NULL;
}

static void* waiter(void* unused) {
  invisible_signal(&gate);
  while (!flag) __asm__ volatile("pause"); // RACE(flag)
  while (letters[5] != 'x') sched_yield(); // RACE(letter)
  for (;;) {
    __asm__ volatile("" ::: "memory");
    if (queue.tail != queue.head) break; // RACE(queue)
  }
  while (!peek(&hidden)) __asm__ volatile("pause");
  return NULL;
}

int main(void) { run_two(writer, waiter); }
