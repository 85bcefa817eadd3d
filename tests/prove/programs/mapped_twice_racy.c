// A file that is mapped twice and shared is one piece of memory.
// VERDICT: pairs
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
static int file;
static int* map(void) { return mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0); }
static void* work(void* unused) {
  int* mine = map();
  *mine = 1; // RACE
  return unused;
}
int main(void) {
  pthread_t thread;
  file = open("data", O_RDWR);
  pthread_create(&thread, 0, work, 0);
  int* mine = map();
  *mine = 2; // RACE
  pthread_join(thread, 0);
  return 0;
}
