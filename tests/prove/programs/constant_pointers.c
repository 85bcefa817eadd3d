// VERDICT: race-free by escaping
// The pointer that is written through may point to a constant; nobody can write that.
#include <pthread.h>

static int one, two;
static int* const constant[2] = {&one, &two};
static int* variable[2];

static void set(int** where) {
  if (where != (int**)constant) *where = &two;
}

static void* work(void* number) { return constant[(long)number]; }

int main(int argc, char** argv) {
  (void)argv;
  pthread_t thread;
  pthread_create(&thread, NULL, work, (void*)1);
  set(argc > 1 ? (int**)constant : variable);
  pthread_join(thread, NULL);
  return 0;
}
