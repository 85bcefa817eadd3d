// The head of a page is found by rounding an address inside down.
// VERDICT: pairs
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
struct Page {
  int count;
  char data[4092];
};
static struct Page* page;
static char* block;
static void* work(void* unused) {
  struct Page* head = (struct Page*)((uintptr_t)block / 4096 * 4096);
  head->count++; // RACE
  return unused;
}
int main(void) {
  pthread_t thread;
  page = aligned_alloc(4096, sizeof *page);
  block = &page->data[96];
  pthread_create(&thread, 0, work, 0);
  page->count++; // RACE
  pthread_join(thread, 0);
  return 0;
}
