// The twin of stage_escaping.c: the object is written after it was published.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>

struct node {
  int value;
};
_Atomic(struct node*) last;

static void* writer(void* argument) {
  struct node* made = malloc(sizeof(struct node));
  last = made;
  made->value = 1;                 // RACE
  return (void*)(long)last->value; // RACE
}

int main(void) {
  while (random() % 4) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
  }
  return 0;
}
