// A copy that starts in an array inside of an element goes on into the next element, whose first fields come before that array.
// VERDICT: pairs
#include <pthread.h>
#include <string.h>

struct Element {
  int* first;
  int* inner[2];
};
static int cell, other;
int which = 2;
static struct Element source[2];

static void* worker(void* argument) {
  int* copy[3]; // source[0].inner[0], source[0].inner[1], source[1].first
  memcpy(copy, source[0].inner, sizeof copy);
  *copy[which] = 1; // RACE
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t thread;
  source[argc & 1].first = &cell;
  source[argc & 1].inner[argc >> 1 & 1] = &other;
  pthread_create(&thread, NULL, worker, NULL);
  cell = 2; // RACE
  pthread_join(thread, NULL);
  return 0;
}
