// A library function replaces the buffer.
// VERDICT: pairs
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
static char* line;
static size_t size;
static void* work(void* p) {
  getline(&line, &size, stdin); // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  size = 2; // RACE
  pthread_join(t, 0);
}
