// Two threads share each element, and one looks at its neighbour's.
// VERDICT: pairs
#include <pthread.h>
static int parts[9], halves[8];
static void* work(void* arg) {
  int number = (int)(long)arg;
  parts[number] = 1;                     // RACE
  halves[number / 2] = 1;                // RACE
  return (void*)(long)parts[number + 1]; // RACE
}
int main(void) {
  pthread_t threads[8];
  for (long i = 0; i < 8; i++) pthread_create(&threads[i], 0, work, (void*)i);
  return 0;
}
