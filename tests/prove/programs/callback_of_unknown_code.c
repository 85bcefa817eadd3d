// Functions that unknown code is given, also inside a record, may run as threads.
// VERDICT: pairs
#include <pthread.h>

struct operations {
  int (*pure)(int);
  void (*count)(void);
};
void register_operations(struct operations* operations);

pthread_mutex_t one_lock = PTHREAD_MUTEX_INITIALIZER, other_lock = PTHREAD_MUTEX_INITIALIZER;
int counter;

static int pure(int value) { return value + 1; }

static void count(void) {
  pthread_mutex_lock(&one_lock);
  counter++; // RACE
  pthread_mutex_unlock(&one_lock);
}

struct operations operations = {pure, count};

int main(void) {
  register_operations(&operations);
  pthread_mutex_lock(&other_lock);
  counter++; // RACE
  pthread_mutex_unlock(&other_lock);
  return 0;
}
