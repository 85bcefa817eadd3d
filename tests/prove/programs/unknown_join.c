// The handle may have been changed by unknown code.
// VERDICT: pairs
#include <pthread.h>
void change(pthread_t* handle);
static int shared;
static void* run(void* arg) {
  shared++; // RACE
  return 0;
}
int main(void) {
  pthread_t one;
  pthread_create(&one, 0, run, 0);
  change(&one);
  pthread_join(one, 0);
  return shared; // RACE
}
