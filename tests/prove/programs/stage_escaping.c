// An object is filled before anybody else knows it, by several threads of one kind.
// VERDICT: race-free by escaping
#include <pthread.h>
#include <stdlib.h>

struct node {
  int value;
};

static void* writer(void* argument) {
  struct node* made = malloc(sizeof(struct node));
  made->value = 1;
  return made;
}

int main(void) {
  while (random() % 4) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
  }
  return 0;
}
