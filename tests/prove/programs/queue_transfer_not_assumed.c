// As queue_transfer.c, without the assumption.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>
struct Job {
  struct Job* next;
  int* data;
  int result;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct Job* head;
static void put(struct Job* job) {
  pthread_mutex_lock(&lock);
  job->next = head; // IMPRECISE
  head = job;
  pthread_mutex_unlock(&lock);
}
static struct Job* take(void) {
  pthread_mutex_lock(&lock);
  struct Job* job = head;
  if (job) head = job->next; // IMPRECISE
  pthread_mutex_unlock(&lock);
  return job;
}
static void* work(void* unused) {
  for (struct Job* job; (job = take());) {
    job->result = *job->data + 1; // IMPRECISE
    free(job->data);              // IMPRECISE
    free(job);                    // IMPRECISE
  }
  return unused;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 10; i++) {
    struct Job* job = malloc(sizeof *job); // IMPRECISE
    job->data = malloc(sizeof *job->data); // IMPRECISE
    *job->data = i;                        // IMPRECISE
    job->result = 0;                       // IMPRECISE
    put(job);
  }
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
