// A pointer that is copied byte by byte is the same pointer.
// VERDICT: pairs
#include <pthread.h>
static int data;
static int* from = &data;
static int* to;
static void copy(char* a, const char* b, int n) {
  while (n--) *a++ = *b++;
}
static void* work(void* p) {
  *to = 1; // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  copy((char*)&to, (const char*)&from, sizeof to);
  pthread_create(&t, 0, work, 0);
  data = 2; // RACE
  pthread_join(t, 0);
}
