// A format may store through its arguments.
// VERDICT: pairs
#include <pthread.h>
#include <stdio.h>
static int data;
static void* work(void* p) {
  printf("hello%n\n", &data); // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  printf("%d", data); // RACE
  pthread_join(t, 0);
}
