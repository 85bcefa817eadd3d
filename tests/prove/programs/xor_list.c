// Two pointers in one word.
// VERDICT: pairs
#include <pthread.h>
static int a, b;
static unsigned long both;
static void* work(void* p) {
  int* other = (int*)(both ^ (unsigned long)&b);
  *other = 1; // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  both = (unsigned long)&a ^ (unsigned long)&b;
  pthread_create(&t, 0, work, 0);
  a = 2; // RACE
  pthread_join(t, 0);
}
