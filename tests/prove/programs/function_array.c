// Functions in a table of tables.
// VERDICT: pairs
#include <pthread.h>
static int data;
static void nothing(void) {}
static void write_one(void) { data = 1; } // RACE
static void (*table[2][2])(void) = {{nothing, nothing}, {nothing, write_one}};
static void* work(void* p) {
  for (int i = 0; i < 4; i++) table[i / 2][i % 2]();
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  data = 2; // RACE
  pthread_join(t, 0);
}
