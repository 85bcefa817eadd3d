// From a member back to its record.
// VERDICT: pairs
#include <pthread.h>
#include <stddef.h>
struct box {
  int value;
  int link;
};
static struct box box;
static void* work(void* p) {
  struct box* b = (struct box*)((char*)p - offsetof(struct box, link));
  b->value = 1; // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, &box.link);
  box.value = 2; // RACE
  pthread_join(t, 0);
}
