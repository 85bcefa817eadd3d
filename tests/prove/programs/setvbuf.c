// The library goes on using the buffer.
// VERDICT: unknown
#include <pthread.h>
#include <stdio.h>
static char buffer[1024];
static void* work(void* p) {
  putchar('x');
  return 0;
}
int main(void) {
  pthread_t t;
  setvbuf(stdout, buffer, _IOFBF, 1024);
  pthread_create(&t, 0, work, 0);
  buffer[0] = 2;
  pthread_join(t, 0);
}
