// Order between threads that the detector cannot see: the hardware executes the steps in the order of the
// test, but no happens-before edge exists. Everything is inline assembly in functions that no sanitizer
// instruments, and waiting is a raw futex system call, so neither the pass nor an interceptor takes part.
// Tests use this, never sleeps.
#pragma once

#include <stddef.h>

#define INVISIBLE __attribute__((noinline, unused, disable_sanitizer_instrumentation, no_sanitize("thread")))

// Counts steps; starts at zero. A static object needs no initialiser.
struct InvisibleGate {
  int steps;
};

INVISIBLE static long invisible_futex(int* word, int operation, long value) {
  long result;
  register long timeout __asm__("r10") = 0;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(202L), "D"(word), "S"((long)operation), "d"(value), "r"(timeout)
                   : "rcx", "r11", "memory");
  return result;
}

// One step was made.
INVISIBLE static void invisible_signal(struct InvisibleGate* gate) {
  __asm__ volatile("lock incl %0" : "+m"(gate->steps) : : "memory", "cc");
  invisible_futex(&gate->steps, 129 /* FUTEX_WAKE_PRIVATE */, 0x7fffffff);
}

// Returns once at least `steps` steps were made.
INVISIBLE static void invisible_wait(struct InvisibleGate* gate, int steps) {
  for (;;) {
    int seen;
    __asm__ volatile("movl %1, %0" : "=r"(seen) : "m"(gate->steps) : "memory");
    if (seen >= steps) return;
    invisible_futex(&gate->steps, 128 /* FUTEX_WAIT_PRIVATE */, seen);
  }
}

// True if at least `steps` steps were made; does not wait.
INVISIBLE static int invisible_reached(struct InvisibleGate* gate, int steps) {
  int seen;
  __asm__ volatile("movl %1, %0" : "=r"(seen) : "m"(gate->steps) : "memory");
  return seen >= steps;
}

// Hands a pointer to another thread without an access that is checked.
INVISIBLE static void invisible_store(void** slot, void* value) {
  __asm__ volatile("movq %1, %0" : "=m"(*slot) : "r"(value) : "memory");
}

INVISIBLE static void* invisible_load(void** slot) {
  void* value;
  __asm__ volatile("movq %1, %0" : "=r"(value) : "m"(*slot) : "memory");
  return value;
}

// Uses a value, so that no optimisation level removes the load that produced it.
#define KEEP(value) __asm__ volatile("" : : "r"(value) : "memory")
// Makes an address escape, so that no optimisation level turns the object into registers.
#define ESCAPE(pointer) __asm__ volatile("" : : "r"(pointer) : "memory")
