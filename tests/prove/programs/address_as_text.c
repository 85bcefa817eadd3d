// VERDICT: unknown
// An address is written as text and read again.
#include <pthread.h>
#include <stdio.h>

static char text[64];
static int shared;

static void* work(void* unused) {
  void* found = NULL;
  if (sscanf(text, "%p", &found) == 1) *(int*)found = 1;
  return unused;
}

int main(void) {
  snprintf(text, sizeof text, "%p", (void*)&shared);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  shared = 2;
  pthread_join(thread, NULL);
  return shared;
}
