// A record with pointers as a variable argument.
// VERDICT: pairs
#include <pthread.h>
#include <stdarg.h>
struct pair {
  int *a, *b;
  long c, d;
};
static int data;
static void store(int n, ...) {
  va_list list, copy;
  va_start(list, n);
  va_copy(copy, list);
  struct pair p = va_arg(copy, struct pair);
  *p.b = 1; // RACE
  va_end(list);
}
static void* work(void* p) {
  struct pair pair = {0, &data, 0, 0};
  store(1, pair);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  data = 2; // RACE
  pthread_join(t, 0);
}
