// Every thread gets its own number and uses only that element.
// VERDICT: race-free by local-thread
#include <pthread.h>
static int parts[8];
static void* work(void* arg) {
  int number = (int)(long)arg;
  for (int i = 0; i < 100; i++) parts[number] += i;
  return 0;
}
int main(void) {
  pthread_t threads[8];
  for (long i = 0; i < 8; i++) pthread_create(&threads[i], 0, work, (void*)i);
  for (int i = 0; i < 8; i++) pthread_join(threads[i], 0);
  return parts[0];
}
