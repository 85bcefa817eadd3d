// RUN: %e2e %s
// Memory of shmat and sbrk that is given back and taken again is fresh; while it is there it is memory like any other.
#include "e2e.h"
#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>

enum { size = 1 << 16 };
static int* attached;
static struct InvisibleGate gate, race;

static int* attach(void* at) {
  int id = shmget(IPC_PRIVATE, size, 0600);
  int* memory = shmat(id, at, 0);
  shmctl(id, IPC_RMID, NULL);
  require(memory != (void*)-1, "shmat");
  return memory;
}
static void* first(void* unused) {
  int* memory = attach(NULL);
  memory[5] = 1; // NORACE
  __atomic_store_n(&attached, memory, __ATOMIC_RELAXED);
  shmdt(memory);
  int* more = sbrk(size);
  more[100] = 1; // NORACE
  sbrk(-size);
  invisible_signal(&gate);
  return NULL;
}
static void* second(void* unused) {
  invisible_wait(&gate, 1);
  int* memory = attach(__atomic_load_n(&attached, __ATOMIC_RELAXED));
  memory[5] = 2; // NORACE
  shmdt(memory);
  int* more = sbrk(size);
  more[100] = 2; // NORACE
  sbrk(-size);
  return NULL;
}
static int* common;
static void* third(void* unused) {
  common[7] = 1; // RACE
  invisible_signal(&race);
  return NULL;
}
static void* fourth(void* unused) {
  invisible_wait(&race, 1);
  common[7] = 2; // RACE
  return NULL;
}

int main(void) {
  run_two(first, second);
  common = attach(NULL);
  run_two(third, fourth);
}
