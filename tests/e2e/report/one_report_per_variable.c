// RUN: %cc -O1 %s -o %t && %exits 66 %t 2>&1 | %filecheck %s
// One function that races on several variables is reported for each of them; elements of one array, and blocks of one allocation, are one.
// CHECK-COUNT-3: WARNING: footrace: data race
// CHECK-NOT: WARNING: footrace: data race
// CHECK: footrace: 3 data races found{{$}}
// RUN: %exits 66 %t 2>&1 | grep -q "Location is global 'first_variable'"
// RUN: %exits 66 %t 2>&1 | grep -q "Location is global 'second_variable'"
// RUN: %cc -O1 -DMANY %s -o %t.many && %exits 66 %t.many 2>&1 | %filecheck --check-prefix=MANY %s
// MANY-COUNT-8: WARNING: footrace: data race
// MANY-NOT: WARNING: footrace: data race
// MANY: footrace: 8 data races found, and 2 more like these, on other variables or from other callers
#include "e2e.h"

int first_variable, second_variable, array[8];
static struct InvisibleGate gate;
__attribute__((noinline)) static void increment(int* counter) { ++*counter; }

#ifdef MANY
int a, b, c, d, e, f, g, h, i, j;
static void use_all(void) {
  increment(&a), increment(&b), increment(&c), increment(&d), increment(&e);
  increment(&f), increment(&g), increment(&h), increment(&i), increment(&j);
}
#else
static void use_first(void) { increment(&first_variable); }
static void use_second(void) { increment(&second_variable); }
static void use_array(void) {
  for (int k = 0; k < 8; ++k) increment(&array[k]);
}
static void use_all(void) { use_first(), use_second(), use_array(); }
#endif

static void* first(void* unused) {
  use_all();
  invisible_signal(&gate);
  return NULL;
}
static void* second(void* unused) {
  invisible_wait(&gate, 1);
  use_all();
  return NULL;
}

int main(void) { run_two(first, second); }
