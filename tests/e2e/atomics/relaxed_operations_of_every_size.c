// RUN: %e2e %s
// Atomic operations never race with each other: every operation, 1 to 8 bytes, relaxed, by four threads.
#include "e2e.h"

#define ALL(type, object)                                                                                    \
  do {                                                                                                       \
    type expected = 1;                                                                                       \
    __atomic_store_n(&object, (type)1, __ATOMIC_RELAXED);                                                    \
    KEEP((long)__atomic_load_n(&object, __ATOMIC_RELAXED));                                                  \
    __atomic_exchange_n(&object, (type)2, __ATOMIC_RELAXED);                                                 \
    __atomic_compare_exchange_n(&object, &expected, (type)3, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);         \
    __atomic_fetch_add(&object, (type)1, __ATOMIC_RELAXED);                                                  \
    __atomic_fetch_sub(&object, (type)1, __ATOMIC_RELAXED);                                                  \
    __atomic_fetch_and(&object, (type)7, __ATOMIC_RELAXED);                                                  \
    __atomic_fetch_or(&object, (type)8, __ATOMIC_RELAXED);                                                   \
    __atomic_fetch_xor(&object, (type)1, __ATOMIC_RELAXED);                                                  \
    __atomic_fetch_nand(&object, (type)1, __ATOMIC_RELAXED);                                                 \
    __atomic_fetch_min(&object, (type)5, __ATOMIC_RELAXED);                                                  \
    __atomic_fetch_max(&object, (type)4, __ATOMIC_RELAXED);                                                  \
  } while (0)

unsigned char one;
unsigned short two;
static unsigned four;
unsigned long eight;

static void* body(void* unused) {
  for (int i = 0; i < 200; ++i) {
    ALL(unsigned char, one);
    ALL(unsigned short, two);
    ALL(unsigned, four);
    ALL(unsigned long, eight);
  }
  return NULL;
}

int main(void) { run_many(4, body); }
