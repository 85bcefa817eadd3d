// RUN: %e2e %s
// Stacks given by the program (pthread_attr_setstack) and used again for the next thread: no false alarm.
#include "e2e.h"
#include <sys/mman.h>

enum { stack_size = 1 << 18 };
int* published;

static void* body(void* unused) {
  int locals[64];
  ESCAPE(locals);
  for (int i = 0; i < 64; ++i) locals[i] = i; // NORACE
  __atomic_store_n(&published, &locals[0], __ATOMIC_RELAXED);
  return NULL;
}

int main(void) {
  void* stack = mmap(NULL, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, stack_size);
  for (int i = 0; i < 20; ++i) {
    pthread_t thread;
    require(pthread_create(&thread, &attributes, body, NULL) == 0, "pthread_create");
    join(thread);
  }
  munmap(stack, stack_size);
}
