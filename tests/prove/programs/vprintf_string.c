// What a list of variable arguments points to is read.
// VERDICT: pairs
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
static char name[8] = "x";
static void say(const char* format, ...) {
  va_list list;
  va_start(list, format);
  vprintf(format, list); // RACE
  va_end(list);
}
static void* work(void* p) {
  say("%s", name);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  name[0] = 2; // RACE
  pthread_join(t, 0);
}
