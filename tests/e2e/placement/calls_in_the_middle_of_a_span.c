// RUN: %e2e %s
// Callees that access the same data, that require or ensure its check, that are called through pointers, with many arguments or by a library: a check is
// left out only where one of the same span stands for it.
#include "e2e.h"

#include <stdarg.h>

struct Counter {
  long value, spare, limit, other;
};
struct Counter shared, ordered, through_pointer, in_library;
int listed[4];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct InvisibleGate gate;

__attribute__((noinline)) static void bump(struct Counter* c) { c->value += 1; } // RACE(callee)
__attribute__((noinline)) static void bump_under_lock(struct Counter* c) {
  pthread_mutex_lock(&mutex);
  c->value += 1; // NORACE: the other thread has the lock as well
  pthread_mutex_unlock(&mutex);
}
__attribute__((noinline)) static void set_limit(struct Counter* c, long limit) {
  c->limit = limit; // RACE(limit)
}
static void (*volatile setter)(struct Counter*, long) = set_limit;

__attribute__((noinline)) static void set_all(int n, ...) {
  va_list places;
  va_start(places, n);
  for (int i = 0; i < n; ++i) *va_arg(places, int*) = i; // RACE(listed)
  va_end(places);
}

static int compare(const void* a, const void* b) {
  in_library.value += 1; // RACE(library)
  return *(const int*)a - *(const int*)b;
}

static void* first(void* unused) {
  bump(&shared);
  for (int i = 0; i < 3; ++i) bump_under_lock(&ordered);
  setter(&through_pointer, 5);
  set_all(2, &listed[0], &listed[2]);
  int numbers[] = {3, 1, 2};
  qsort(numbers, 3, sizeof numbers[0], compare);
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  shared.limit = shared.other = 1;
  shared.value = 1; // RACE(callee)
  for (int i = 0; i < 3; ++i) bump_under_lock(&ordered);
  through_pointer.value = through_pointer.other = 1;
  through_pointer.limit = 1; // RACE(limit)
  listed[1] = 1;
  listed[3] = 1;
  KEEP(listed[2]); // RACE(listed)
  in_library.limit = 1;
  in_library.value = 1; // RACE(library)
  return NULL;
}

int main(void) { run_two(first, second); }
