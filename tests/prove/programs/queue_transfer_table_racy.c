// What is only looked up under the lock is not taken out: several threads may have it.
// ASSUME: queue-transfer
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int* table[8];
static int* find(int key) {
  pthread_mutex_lock(&lock);
  int* found = table[key & 7];
  pthread_mutex_unlock(&lock);
  return found;
}
static void add(int key, int* value) {
  pthread_mutex_lock(&lock);
  table[key & 7] = value;
  pthread_mutex_unlock(&lock);
}
static void* work(void* unused) {
  for (int i = 0; i < 8; i++) {
    int* value = find(i);
    if (value) (*value)++; // RACE
  }
  return unused;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 8; i++) add(i, calloc(1, sizeof(int)));
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
