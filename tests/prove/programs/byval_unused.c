// A record that is passed by value is read, whoever needs it.
// VERDICT: pairs
#include <pthread.h>
struct big {
  long a, b, c, d;
};
static struct big data;
__attribute__((noinline)) static long use(struct big copy) { return 1; } // RACE
static void* work(void* p) { return (void*)use(data); }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  data.d = 2; // RACE
  pthread_join(t, 0);
}
