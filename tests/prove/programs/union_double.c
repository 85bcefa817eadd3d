// A pointer may travel as a floating-point number.
// VERDICT: pairs
#include <pthread.h>
union slot {
  int* pointer;
  double number;
};
static int data;
static double number;
static void* work(void* p) {
  union slot mine;
  mine.number = number;
  *mine.pointer = 1; // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  union slot first;
  first.pointer = &data;
  number = first.number;
  pthread_create(&t, 0, work, 0);
  data = 2; // RACE
  pthread_join(t, 0);
}
