// A function keeps its place between two calls, for all threads.
// VERDICT: pairs
#include <pthread.h>
#include <string.h>
static void* work(void* p) {
  char text[] = "a b"; // RACE
  strtok(text, " ");   // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  char text[] = "c d";
  pthread_create(&t, 0, work, 0);
  strtok(text, " "); // RACE
  pthread_join(t, 0);
}
