// RUN: %e2e %s
// One thread tells another process, and that tells another thread: through two pipes, two semaphores in shared memory, and by its end. What the first thread does
// after it has told is not ordered, nor what threads of one process tell each other through different pipes.
#include "e2e.h"
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int by_pipe, by_semaphore, by_end, after_pipe, through_two_pipes;
static int to_child[2], from_child[2], until_end[2], one[2], other[2];
static sem_t* semaphores;
static pid_t child, second_child;
static struct InvisibleGate gate;

static void must_write(int fd) { require(write(fd, "x", 1) == 1, "write"); }
static void must_read(int fd) {
  char byte;
  require(read(fd, &byte, 1) == 1, "read");
}

static void echo(void) {
  must_read(to_child[0]);
  must_write(from_child[1]);
  sem_wait(&semaphores[0]);
  sem_post(&semaphores[1]);
  _exit(0);
}

static void* teller(void* unused) {
  by_pipe = 1; // NORACE
  must_write(to_child[1]);
  invisible_wait(&gate, 1);
  after_pipe = 1; // RACE(after)
  invisible_signal(&gate);
  invisible_wait(&gate, 3);
  by_semaphore = 1; // NORACE
  sem_post(&semaphores[0]);
  by_end = 1; // NORACE
  must_write(until_end[1]);
  invisible_wait(&gate, 4);
  through_two_pipes = 1; // RACE(pipes)
  must_write(one[1]);
  invisible_signal(&gate);
  return unused;
}

static void* listener(void* unused) {
  int status;
  must_read(from_child[0]);
  by_pipe++; // NORACE
  invisible_signal(&gate);
  invisible_wait(&gate, 2);
  after_pipe++; // RACE(after)
  invisible_signal(&gate);
  sem_wait(&semaphores[1]);
  by_semaphore++; // NORACE
  require(waitpid(second_child, &status, 0) == second_child, "waitpid");
  by_end++; // NORACE
  invisible_signal(&gate);
  invisible_wait(&gate, 5);
  must_write(other[1]); // so what is read from there was sent here
  must_read(other[0]);
  through_two_pipes++; // RACE(pipes)
  return unused;
}

int main(void) {
  semaphores = (sem_t*)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 2; ++i) sem_init(&semaphores[i], 1, 0);
  int* const pipes[] = {to_child, from_child, until_end, one, other};
  for (int i = 0; i < 5; ++i) require(pipe(pipes[i]) == 0, "pipe");
  if ((child = fork()) == 0) echo();
  if ((second_child = fork()) == 0) {
    must_read(until_end[0]);
    _exit(0);
  }
  run_two(teller, listener);
  require(waitpid(child, NULL, 0) == child, "waitpid");
  return 0;
}
