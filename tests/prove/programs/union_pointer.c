// The bytes of a pointer are the pointer.
// VERDICT: pairs
#include <pthread.h>
#include <string.h>
union slot {
  int* pointer;
  unsigned char bytes[8];
  double number;
};
static int data;
static union slot slot;
static void* work(void* p) {
  union slot mine;
  for (int i = 0; i < 8; i++) mine.bytes[i] = slot.bytes[i];
  *mine.pointer = 1; // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  slot.pointer = &data;
  pthread_create(&t, 0, work, 0);
  data = 2; // RACE
  pthread_join(t, 0);
}
