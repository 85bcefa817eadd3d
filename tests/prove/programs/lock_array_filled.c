// A loop initialises the locks; the constant index of each still says which lock it is, and which element.
// VERDICT: race-free by global-lock
#include <pthread.h>

static int counts[4];
static pthread_mutex_t locks[4];

static void* worker(void* argument) {
  pthread_mutex_lock(&locks[1]);
  counts[1]++;
  pthread_mutex_unlock(&locks[1]);
  return NULL;
}

int main(void) {
  for (int i = 0; i < 4; i++) {
    pthread_mutex_init(&locks[i], NULL);
    counts[i] = i;
  }
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_mutex_lock(&locks[2]);
  counts[2]++;
  pthread_mutex_unlock(&locks[2]);
  pthread_mutex_lock(&locks[1]);
  counts[1]++;
  pthread_mutex_unlock(&locks[1]);
  return 0;
}
