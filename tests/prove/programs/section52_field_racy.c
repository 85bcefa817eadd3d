// Section 5.2: the field races, so two reads of it may give two values, and the lock need not be that of the data.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

struct inner {
  pthread_mutex_t lock;
  int value;
};
struct box {
  struct inner* inner;
};

static struct box boxes[2];

static void* body(void* argument) {
  struct box* box = &boxes[__VERIFIER_nondet_int() ? 1 : 0];
  struct inner* first = box->inner; // RACE
  pthread_mutex_lock(&first->lock);
  box->inner->value++; // RACE
  pthread_mutex_unlock(&first->lock);
  return NULL;
}

int main(void) {
  for (int i = 0; i < 2; i++) {
    boxes[i].inner = calloc(1, sizeof(struct inner));
    pthread_mutex_init(&boxes[i].inner->lock, NULL);
  }
  pthread_t one, two;
  pthread_create(&one, NULL, body, NULL);
  pthread_create(&two, NULL, body, NULL);
  boxes[0].inner = boxes[1].inner; // RACE
  pthread_join(one, NULL);
  pthread_join(two, NULL);
}
