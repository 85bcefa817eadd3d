// The pointer is published by a race, so what was written before it is not ordered either.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>

struct node {
  int value;
  struct node* next;
};
struct node* first;

static void* worker(void* argument) {
  struct node* node = first;             // RACE
  if (!node || !node->next) return NULL; // RACE
  return (void*)(long)node->next->value; // RACE
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  struct node* inner = malloc(sizeof(struct node)); // RACE
  inner->value = 5;                                 // RACE
  struct node* outer = malloc(sizeof(struct node)); // RACE
  outer->next = inner;                              // RACE
  first = outer;                                    // RACE
  return 0;
}
