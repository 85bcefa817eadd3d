// The new thread takes the lock that main held since before it was created: main's access is over then.
// VERDICT: race-free by ordering
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static void* later(void* arg) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  shared++;
  return 0;
}
int main(void) {
  pthread_t one;
  pthread_mutex_lock(&lock);
  pthread_create(&one, 0, later, 0);
  shared++;
  pthread_mutex_unlock(&lock);
  return 0;
}
