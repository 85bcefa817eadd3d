// RUN: %e2e %s
// A call that gives a lock back, or makes a fence or an atomic store, ends what earlier checks stand for: the second access is checked again.
#include "e2e.h"

int by_lock, by_store, by_fence, by_pointer, in_loop;
static int flag;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct InvisibleGate gate;

__attribute__((noinline)) static void lock_and_unlock(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}
__attribute__((noinline)) static void store(void) { __atomic_store_n(&flag, 1, __ATOMIC_RELEASE); }
__attribute__((noinline)) static void fence(void) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
}
static void (*volatile one_of_them)(void) = lock_and_unlock;

static void* writer(void* unused) {
  by_lock = 1; // NORACE: whoever takes the lock afterwards has seen it
  lock_and_unlock();
  invisible_signal(&gate);
  invisible_wait(&gate, 2); // the reader has taken the lock
  by_lock = 2;              // RACE(lock)
  invisible_signal(&gate);

  by_store = by_fence = by_pointer = 1;
  for (int i = 0; i < 3; ++i) in_loop = i;
  store();
  invisible_signal(&gate);
  invisible_wait(&gate, 5); // the reader has loaded the flag
  by_store = 2;             // RACE(store)
  fence();
  by_fence = 2; // RACE(fence)
  one_of_them();
  by_pointer = 2; // RACE(pointer)
  for (int i = 0; i < 3; ++i) {
    lock_and_unlock();
    in_loop = i; // RACE(loop)
  }
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 1);
  lock_and_unlock();
  invisible_signal(&gate);
  invisible_wait(&gate, 3);
  KEEP(by_lock); // RACE(lock)

  invisible_wait(&gate, 4);
  KEEP(__atomic_load_n(&flag, __ATOMIC_ACQUIRE));
  invisible_signal(&gate);
  invisible_wait(&gate, 6);
  KEEP(by_store);   // RACE(store)
  KEEP(by_fence);   // RACE(fence)
  KEEP(by_pointer); // RACE(pointer)
  KEEP(in_loop);    // RACE(loop)
  return NULL;
}

int main(void) { run_two(writer, reader); }
