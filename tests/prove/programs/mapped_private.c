// Two mappings that are private are two pieces of memory, and so are two without a file.
// VERDICT: race-free
#include <pthread.h>
#include <sys/mman.h>
static void* work(void* unused) {
  int* mine = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int* other = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, 3, 0);
  *mine = *other = 1;
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  work(0);
  pthread_join(thread, 0);
  return 0;
}
