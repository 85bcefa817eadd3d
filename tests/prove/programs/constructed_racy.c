// The function makes the object known by its other argument before it fills it.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>
struct Job {
  int a, b;
};
static void* use(void* arg) {
  struct Job* job = arg;
  return (void*)(long)job->a; // RACE
}
__attribute__((noinline)) static void fill(struct Job* job, void* same, int depth) {
  pthread_t thread;
  pthread_create(&thread, 0, use, same);
  job->a = depth; // RACE
  if (depth > 100) fill(job, same, depth - 1);
}
int main(void) {
  for (int i = 0; i < 10; i++) {
    struct Job* job = malloc(sizeof *job);
    fill(job, job, i);
  }
  return 0;
}
