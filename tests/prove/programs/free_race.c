// Memory is freed while it is read.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>
static int* data;
static void* work(void* p) {
  free(data); // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  data = malloc(4);
  pthread_create(&t, 0, work, 0);
  int x = *data; // RACE
  pthread_join(t, 0);
  return x;
}
