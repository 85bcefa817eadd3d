// Two threads that write different fields of one object.
// VERDICT: race-free
#include <pthread.h>

struct pair {
  int left, right;
} both;

static void* writer(void* argument) {
  both.left = 1;
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  both.right = 2;
  pthread_join(thread, NULL);
  return 0;
}
