// Both arrays are members of one record.
// VERDICT: race-free by local-lock
#include <pthread.h>
#include <stdlib.h>

struct table {
  int size;
  int counts[8];
  pthread_mutex_t locks[8];
};

static void add(struct table* table, int i) {
  pthread_mutex_lock(&table->locks[i]);
  table->counts[i]++;
  pthread_mutex_unlock(&table->locks[i]);
}

static void* worker(void* argument) {
  for (int i = 0; i < 8; i++) add(argument, i);
  return NULL;
}

int main(void) {
  for (int n = 0; n < 2; n++) {
    struct table* table = calloc(1, sizeof(struct table));
    for (int i = 0; i < 8; i++) pthread_mutex_init(&table->locks[i], NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, worker, table);
    add(table, (int)(random() % 8));
  }
  return 0;
}
