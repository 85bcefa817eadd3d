// RUN: %e2e %s
// Many small blocks allocated, written, handed over under a mutex and freed elsewhere: no false alarm.
#include "e2e.h"
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
char* mailbox[16];

static void* body(void* argument) {
  unsigned seed = (unsigned)(long)argument + 1;
  for (int i = 0; i < 3000; ++i) {
    seed = seed * 1103515245 + 12345;
    unsigned size = 1 + (seed >> 16) % 200;
    char* block = (char*)malloc(size);
    for (unsigned k = 0; k < size; ++k) block[k] = (char)k; // NORACE
    pthread_mutex_lock(&mutex);
    char* other = mailbox[seed % 16];
    mailbox[seed % 16] = block;
    pthread_mutex_unlock(&mutex);
    if (other) other[0] = 1; // NORACE
    free(other);
  }
  return NULL;
}

int main(void) {
  run_many(4, body);
  for (int i = 0; i < 16; ++i) free(mailbox[i]);
}
