// Paper 001, Figure 1, L = a: one lock for the whole array
// VERDICT: race-free by global-lock
#include <pthread.h>
#include <stdlib.h>

enum { N = 8 };
struct inner {
  int g;
  pthread_mutex_t lock;
};
struct outer {
  struct inner* f;
  pthread_mutex_t lock;
};
struct array {
  pthread_mutex_t lock;
  struct outer* element[N];
};
struct array* a;

static void* body(void* argument) {
  struct outer* x = a->element[random() % N];
  pthread_mutex_lock(&a->lock);
  x->f->g = 1;
  pthread_mutex_unlock(&a->lock);
  return NULL;
}

int main(void) {
  a = malloc(sizeof(struct array));
  pthread_mutex_init(&a->lock, NULL);
  for (int i = 0; i < N; i++) {
    a->element[i] = malloc(sizeof(struct outer));
    pthread_mutex_init(&a->element[i]->lock, NULL);
    a->element[i]->f = malloc(sizeof(struct inner));
    pthread_mutex_init(&a->element[i]->f->lock, NULL);
  }
  while (random() % 4) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
  }
  return 0;
}
