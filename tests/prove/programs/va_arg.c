// Variable arguments, also those that do not fit into registers.
// VERDICT: pairs
#include <pthread.h>
#include <stdarg.h>
static int data;
static void store(int n, ...) {
  va_list list;
  va_start(list, n);
  for (int i = 0; i < n; i++) {
    int* p = va_arg(list, int*);
    *p = i; // RACE
  }
  va_end(list);
}
static void* work(void* p) {
  int mine;
  store(7, &mine, &mine, &mine, &mine, &mine, &mine, &data);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  data = 2; // RACE
  pthread_join(t, 0);
}
