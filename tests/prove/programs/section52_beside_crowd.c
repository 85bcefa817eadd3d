// Section 5.2 holds for some memory though other memory is accessed in very many places (see Crowds.DoNotHideOtherMemory).
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
static pthread_mutex_t busy_lock = PTHREAD_MUTEX_INITIALIZER;
static int busy;

static void* body(void* argument) {
  pthread_mutex_lock(&busy_lock);
  busy++, busy++, busy++, busy++, busy++, busy++, busy++, busy++, busy++, busy++;
  pthread_mutex_unlock(&busy_lock);
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
