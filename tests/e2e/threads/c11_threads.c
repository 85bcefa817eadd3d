// RUN: %e2e %s
// C11 threads: create, join, mutexes of each type, condition, once and thread-specific storage order as
// documented.
#include "e2e.h"
#include <threads.h>
#include <time.h>

static mtx_t plain, recursive, timed;
static cnd_t ready;
static once_flag flag = ONCE_FLAG_INIT;
static tss_t storage;
int initialised, counter, is_ready;

static void initialise(void) { initialised = 1; } // NORACE

static int body(void* unused) {
  call_once(&flag, initialise);
  KEEP(initialised); // NORACE
  struct timespec far;
  timespec_get(&far, TIME_UTC);
  far.tv_sec += 20;
  mtx_lock(&plain);
  while (!is_ready) cnd_wait(&ready, &plain); // NORACE
  mtx_lock(&recursive);
  mtx_lock(&recursive);
  ++counter; // NORACE
  mtx_unlock(&recursive);
  mtx_unlock(&recursive);
  mtx_unlock(&plain);
  require(mtx_timedlock(&timed, &far) == thrd_success, "mtx_timedlock");
  tss_set(storage, &storage);
  ++counter; // NORACE
  mtx_unlock(&timed);
  return 5;
}

int main(void) {
  mtx_init(&plain, mtx_plain);
  mtx_init(&recursive, mtx_plain | mtx_recursive);
  mtx_init(&timed, mtx_timed);
  cnd_init(&ready);
  tss_create(&storage, NULL);
  thrd_t thread;
  require(thrd_create(&thread, body, NULL) == thrd_success, "thrd_create");
  call_once(&flag, initialise);
  KEEP(initialised); // NORACE
  mtx_lock(&plain);
  is_ready = 1; // NORACE
  cnd_broadcast(&ready);
  mtx_unlock(&plain);
  int result;
  thrd_join(thread, &result);
  require(result == 5 && counter == 2, "the thread's result"); // NORACE
}
