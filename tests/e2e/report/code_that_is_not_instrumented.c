// A library that is not instrumented orders its workers by an atomic of its own, which nobody sees: the race is reported, and the report itself says what it may
// be due to and which rule suppresses it. The same for an object of another compiler in the program. If the library is instrumented, there is no race.
// RUN: rm -rf %t && mkdir %t
// RUN: %llvm-tools/clang -O1 -g -shared -fPIC %S/Inputs/own_pool.c -o %t/libownpool.so.3 -pthread
// RUN: %cc -O1 %s %t/libownpool.so.3 -o %t/with_library
// RUN: not %t/with_library 2>&1 | %filecheck --check-prefix=LIBRARY %s
// RUN: echo 'race:libownpool.so' > %t/rules
// RUN: env FOOTRACE_OPTIONS=suppressions=%t/rules %t/with_library
//
// RUN: %llvm-tools/clang -O1 -g -S -emit-llvm %S/Inputs/own_pool.c -o %t/pool.ll
// RUN: sed -e 's/producer: "[^"]*"/producer: "GNU C17 12.2.0"/' %t/pool.ll > %t/gcc.ll
// RUN: %llvm-tools/clang -c %t/gcc.ll -o %t/pool.o
// RUN: %cc -O1 %s %t/pool.o -o %t/with_object
// RUN: not %t/with_object 2>&1 | %filecheck --check-prefix=OBJECT %s
// RUN: echo 'race:^own_pool_work$' > %t/rules
// RUN: env FOOTRACE_OPTIONS=suppressions=%t/rules %t/with_object
//
// RUN: %cc -O1 %s %S/Inputs/own_pool.c -o %t/instrumented
// RUN: %t/instrumented
#include <pthread.h>

void run_in_own_pool(void (*function)(int));

static int shared;
static void work(int me) { shared += me; }

int main(void) {
  run_in_own_pool(work);
  return 0;
}

// LIBRARY: Frame #{{[0-9]}} of the first access is in libownpool.so.3, which is not instrumented.
// LIBRARY-NEXT: What such code orders by atomics of its own is not seen.
// LIBRARY: The suppression: race:libownpool.so{{$}}
// LIBRARY: SUMMARY: footrace: data race code_that_is_not_instrumented.c
// LIBRARY-NOT: code compiled by
// OBJECT: Frame #{{[0-9]}} of the first access is in code compiled by GCC, which is not instrumented.
// OBJECT: The suppression: race:^own_pool_work$
