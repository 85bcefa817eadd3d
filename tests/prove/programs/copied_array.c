// Elements that a variable index keeps together stay together in a copy: each element of the copy may be any of them.
// VERDICT: pairs
#include <pthread.h>
#include <string.h>

static int cell;
static int* source[4];

static void* worker(void* argument) {
  int* copy[4];
  memcpy(copy, source, sizeof copy);
  *copy[2] = 1; // RACE
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t thread;
  for (int i = 0; i < 4; i++) source[i] = &cell;
  pthread_create(&thread, NULL, worker, NULL);
  cell = 2; // RACE
  pthread_join(thread, NULL);
  return 0;
}
