// An object is used after it was given back.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>
struct node {
  struct node* next;
  int value;
};
static struct node* list;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct node* get(void) {
  pthread_mutex_lock(&m);
  struct node* n = list;
  if (n) list = n->next; // IMPRECISE
  pthread_mutex_unlock(&m);
  return n ? n : malloc(sizeof(struct node)); // IMPRECISE
}
static void put(struct node* n) {
  pthread_mutex_lock(&m);
  n->next = list; // IMPRECISE
  list = n;
  pthread_mutex_unlock(&m);
}
static void* work(void* p) {
  struct node* n = get();
  n->value = 1; // RACE
  put(n);
  n->value = 2; // RACE
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, work, 0);
  pthread_create(&u, 0, work, 0);
}
