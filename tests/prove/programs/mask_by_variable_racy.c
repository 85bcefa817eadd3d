// The head of a page is found by the size of pages, which is known at run time.
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
static uintptr_t page_size;
static void* work(void* unused) {
  struct Page* head = (struct Page*)((uintptr_t)block & -page_size);
  head->count++; // RACE
  return unused;
}
int main(void) {
  pthread_t thread;
  page = aligned_alloc(4096, sizeof *page);
  page_size = (uintptr_t)atol("4096");
  block = &page->data[96];
  pthread_create(&thread, 0, work, 0);
  page->count++; // RACE
  pthread_join(thread, 0);
  return 0;
}
