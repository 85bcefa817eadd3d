// RUN: %e2e %s
// RUN: %cc -O1 -DPLAIN %s -o %t && %exits 66 %t
// RUN: %cc -O1 -DARENA %s -o %t && %exits 66 %t
// A program with its own malloc and free: whatever the library and our functions allocate comes from there and can be freed there. As wrappers of what the
// dynamic loader finds next (memory that is handed on without order that we see is fresh), of libc's own names, or with an arena.
#include "e2e.h"
#include <dlfcn.h>
#include <string.h>
#include <wchar.h>

static int calls;

#if defined(ARENA)
static char arena[1 << 20] __attribute__((aligned(16)));
static size_t used;
static void* next_malloc(size_t size) {
  size_t from = __atomic_fetch_add(&used, (size + 31) & ~(size_t)15, __ATOMIC_RELAXED);
  return from + size + 16 <= sizeof arena ? arena + from + 16 : NULL;
}
static void next_free(void* block) {
  require(!block || ((char*)block >= arena && (char*)block < arena + sizeof arena),
          "a block of the program's own");
}
void* calloc(size_t count, size_t size) { return malloc(count * size); }
void* realloc(void* old, size_t size) {
  char* block = malloc(size);
  if (old) // the arena's end is far away
    for (size_t i = 0; i < size && (char*)old + i < arena + sizeof arena; ++i)
      ((volatile char*)block)[i] = ((char*)old)[i];
  return block;
}
#elif defined(PLAIN)
extern void *__libc_malloc(size_t), __libc_free(void*);
static void* next_malloc(size_t size) { return __libc_malloc(size); }
static void next_free(void* block) { __libc_free(block); }
#else
static void* (*next_malloc_)(size_t);
static void (*next_free_)(void*);
static void* next_malloc(size_t size) {
  void* (*next)(size_t) = __atomic_load_n(&next_malloc_, __ATOMIC_RELAXED);
  if (!next) {
    next = (void* (*)(size_t))dlsym(RTLD_NEXT, "malloc");
    __atomic_store_n(&next_malloc_, next, __ATOMIC_RELAXED);
  }
  return next(size);
}
static void next_free(void* block) {
  void (*next)(void*) = __atomic_load_n(&next_free_, __ATOMIC_RELAXED);
  if (!next) {
    next = (void (*)(void*))dlsym(RTLD_NEXT, "free");
    __atomic_store_n(&next_free_, next, __ATOMIC_RELAXED);
  }
  next(block);
}
#endif

void* malloc(size_t size) {
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  return next_malloc(size);
}
void free(void* block) { next_free(block); }

static void must_come_from_malloc(void* block) {
  require(block && __atomic_exchange_n(&calls, 0, __ATOMIC_RELAXED) > 0,
          "an allocation by the program's malloc");
  free(block);
}

int shared;
static struct InvisibleGate gate;

#if !defined(ARENA) && !defined(PLAIN)
// The second thread gets the memory that the first one has freed.
static void* use_memory(void* turn) {
  invisible_wait(&gate, (int)(long)turn);
  for (int i = 0; i < 20; ++i) {
    int* block = malloc(40);
    ESCAPE(block);
    for (int k = 0; k < 10; ++k) block[k] = k; // NORACE
    free(block);
  }
  invisible_signal(&gate);
  return NULL;
}
#else
static void* use_memory(void* turn) { return NULL; }
#endif

static void* first(void* unused) {
  shared = 1; // RACE
  invisible_signal(&gate);
  return NULL;
}
static void* second(void* unused) {
  invisible_wait(&gate, 1);
  shared = 2; // RACE
  return NULL;
}

int main(void) {
  calls = 0;
  must_come_from_malloc(strdup("text"));
  must_come_from_malloc(strndup("text", 2));
  must_come_from_malloc(wcsdup(L"text"));
  char* line = NULL;
  require(asprintf(&line, "%d", 5) == 1, "asprintf");
  must_come_from_malloc(line);
#if !defined(ARENA)
  free(calloc(3, 5));
  free(realloc(malloc(10), 1000));
  free(realloc(NULL, 100));
  free(aligned_alloc(64, 128));
  void* block;
  require(posix_memalign(&block, 64, 100) == 0, "posix_memalign");
  free(block);
  free(valloc(10));
#endif
  run_two(first, second);
  gate.steps = 0;
  run_many(2, use_memory);
}
