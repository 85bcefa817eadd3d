// Section 5.2: two reads of box->inner give one value, since nobody writes it meanwhile; so the lock is that of the data.
// VERDICT: race-free by local-lock
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
  pthread_mutex_lock(&box->inner->lock);
  box->inner->value++;
  pthread_mutex_unlock(&box->inner->lock);
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
  pthread_join(one, NULL);
  pthread_join(two, NULL);
}
