// Some threads get the same object.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>
static void* work(void* p) {
  (*(int*)p)++; // RACE
  return 0;
}
int main(void) {
  pthread_t t[4];
  int* data = malloc(sizeof *data);
  for (int i = 0; i < 4; i++) {
    if (i == 2) data = malloc(sizeof *data);
    pthread_create(&t[i], 0, work, data);
  }
}
