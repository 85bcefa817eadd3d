// An exception leaves the function while the lock is released.
// VERDICT: pairs
#include <mutex>
#include <pthread.h>
#include <thread>
static int data;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void may_throw(int n) {
  if (n > 1) throw n;
}
static void gap(int n) {
  pthread_mutex_unlock(&m);
  may_throw(n);
  pthread_mutex_lock(&m);
}
static void work(int n) {
  pthread_mutex_lock(&m);
  try {
    gap(n);
  } catch (int) {
    data = 1; // RACE
    return;
  }
  pthread_mutex_unlock(&m);
}
int main(int n, char**) {
  std::thread t(work, n);
  pthread_mutex_lock(&m);
  data = 2; // RACE
  pthread_mutex_unlock(&m);
  t.join();
}
