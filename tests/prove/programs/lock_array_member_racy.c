// The twin of lock_array_member.c: records that overlap.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>

struct table {
  long size, used, unused;
  int counts[8];
  char room[64];
  pthread_mutex_t locks[8];
};

static void add(struct table* table, int i) {
  pthread_mutex_lock(&table->locks[i]);
  table->counts[i]++; // RACE
  pthread_mutex_unlock(&table->locks[i]);
}

static void* worker(void* argument) {
  for (int i = 0; i < 8; i++) add(argument, i);
  return NULL;
}

int main(void) {
  char* memory = calloc(2, sizeof(struct table));
  pthread_t one, two;
  pthread_create(&one, NULL, worker, memory);
  pthread_create(&two, NULL, worker, memory + 8);
  return 0;
}
