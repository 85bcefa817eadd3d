// RUN: %e2e %s
// A block that is written byte by byte is freed and allocated again by other threads, always in order: bytes that wait do not
// appear in the next life of their memory.
#include "e2e.h"
#include <stdlib.h>

enum { rounds = 2000 };
static char* volatile handed;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* body(void* argument) {
  long me = (long)argument;
  for (int i = 0; i < rounds; ++i) {
    char* mine = malloc(13);
    for (int k = 0; k < 13; ++k) ((volatile char*)mine)[k] = (char)me; // NORACE
    pthread_mutex_lock(&mutex);
    char* theirs = handed;
    handed = mine;
    pthread_mutex_unlock(&mutex);
    if (!theirs) continue;
    for (int k = 1; k < 4; ++k) ((volatile char*)theirs)[k] += 1; // NORACE
    free(theirs);                                                 // NORACE
  }
  return NULL;
}

int main(void) {
  run_many(3, body);
  free(handed);
}
