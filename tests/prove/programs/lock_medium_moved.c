// Two objects with locks come to share what they guard.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>
struct item {
  int n;
};
struct box {
  pthread_mutex_t m;
  struct item* p;
};
static struct box* make(void) {
  struct box* b = malloc(sizeof *b);
  pthread_mutex_init(&b->m, 0);
  b->p = malloc(sizeof *b->p);
  return b;
}
static void* work(void* p) {
  struct box* b = p;
  pthread_mutex_lock(&b->m);
  b->p->n++; // RACE
  pthread_mutex_unlock(&b->m);
  return 0;
}
int main(void) {
  pthread_t t, u;
  struct box* boxes[2];
  for (int i = 0; i < 2; i++) boxes[i] = make();
  boxes[1]->p = boxes[0]->p;
  pthread_create(&t, 0, work, boxes[0]);
  pthread_create(&u, 0, work, boxes[1]);
}
