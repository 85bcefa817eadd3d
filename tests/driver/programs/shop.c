// The same in C.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int global_count;
static int table[8];
struct price {
  long cents;
};
static struct price price;
static struct price* offer;

static void add(struct price* p, long n) { p->cents += n; } // RACE

static void* work(void* unused) {
  global_count++;   // RACE
  table[3] = 1;     // RACE
  price.cents = 2;  // RACE
  offer->cents = 4; // RACE
  add(offer, 1);
  pthread_mutex_lock(&mutex);
  global_count += 2;
  table[3] += 2;
  price.cents -= 1;
  offer->cents--;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t first, second;
  offer = calloc(1, sizeof *offer);
  pthread_create(&first, NULL, work, NULL);
  pthread_create(&second, NULL, work, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  free(offer);
  return 0;
}
