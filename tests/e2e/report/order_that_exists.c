// A finding says which order there was between the threads: who created, joined and waits for whom, which object brought the last order, and
// whether there was any.
// RUN: rm -rf %t && mkdir %t && %cc -O1 %s -o %t/program
// RUN: %exits 66 env FOOTRACE_OPTIONS=findings=%t/findings %t/program 2> %t/stderr
// RUN: %S/Inputs/explain.sh %footrace %t/findings without_order | %filecheck %s --check-prefix=NONE
// RUN: %S/Inputs/explain.sh %footrace %t/findings after_mutex | %filecheck %s --check-prefix=MUTEX
// RUN: %S/Inputs/explain.sh %footrace %t/findings after_flag | %filecheck %s --check-prefix=FLAG
// RUN: %S/Inputs/explain.sh %footrace %t/findings with_mutex | %filecheck %s --check-prefix=HELD
#include "e2e.h"
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int flag;
int one, two, three, four;
static struct InvisibleGate gate;

static void* writer(void* unused) {
  one = 1;
  invisible_signal(&gate);
  invisible_wait(&gate, 2);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  two = 1; // the other has what was before, and not this
  invisible_signal(&gate);
  invisible_wait(&gate, 4);
  atomic_store(&flag, 1);
  three = 1;
  invisible_signal(&gate);
  invisible_wait(&gate, 6);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  four = 1;
  return NULL;
}

// NONE: main thread creates T1
// NONE: Nothing that T1 did is ordered before the access by T2
__attribute__((noinline)) static void without_order(void) { one = 2; }
// MUTEX: o---->o {{.*}}T1 released mutex before its access, then T2 acquired
// MUTEX: NO ORDER
// MUTEX-NOT: has learned nothing
__attribute__((noinline)) static void after_mutex(void) { two = 2; }
// FLAG: T1 released flag before its access, then T2 acquired
__attribute__((noinline)) static void after_flag(void) { three = 2; }
// The thread has ended and is joined; the lock that is held now was the other's.
// HELD: T1 unlocks mutex, then T2 locks it
// HELD: T1 has ended, and main thread has joined it
// HELD: (order_that_exists.c:[[#@LINE+28]]:
// HELD: NO ORDER
__attribute__((noinline)) static void with_mutex(void) { four = 2; }

static void* other(void* unused) {
  invisible_wait(&gate, 1);
  without_order();
  invisible_signal(&gate);
  invisible_wait(&gate, 3);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  after_mutex();
  invisible_signal(&gate);
  invisible_wait(&gate, 5);
  while (!atomic_load(&flag)) continue;
  after_flag();
  invisible_signal(&gate);
  invisible_wait(&gate, 7);
  pthread_mutex_lock(&mutex);
  with_mutex();
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, writer, NULL);
  pthread_create(&threads[1], NULL, other, NULL);
  pthread_join(threads[0], NULL);
  invisible_signal(&gate);
  pthread_join(threads[1], NULL);
  return 0;
}
