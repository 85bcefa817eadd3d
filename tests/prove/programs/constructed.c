// A function fills an object that nobody else knows yet, in every round of a loop.
// VERDICT: race-free by escaping
#include <pthread.h>
#include <stdlib.h>
struct Job {
  int a, b, c, d;
};
static int sink(int x) { return x; }
static void fill(struct Job* job, int depth, ...) { // not inlined
  job->a = depth;
  job->b = sink(depth);
}
static void* use(void* arg) {
  struct Job* job = arg;
  return (void*)(long)(job->a + job->b);
}
int main(void) {
  for (int i = 0; i < 10; i++) {
    pthread_t thread;
    struct Job* job = malloc(sizeof *job);
    fill(job, i);
    pthread_create(&thread, 0, use, job);
  }
  return 0;
}
