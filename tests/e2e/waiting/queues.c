// RUN: %e2e %s
// System V messages and semaphores, POSIX message queues: who takes comes after who has given. A take that fails orders nothing, and neither does another
// queue.
#include "e2e.h"
#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <unistd.h>

int by_message, by_semaphore, by_posix, unordered, behind_other;
static int messages, others, semaphores;
static mqd_t queue;
static struct InvisibleGate gate;
struct Text {
  long type;
  char text[8];
};

static void* sender(void* unused) {
  by_message = 1; // NORACE
  struct Text text = {1, "abc"};
  require(msgsnd(messages, &text, 4, 0) == 0, "msgsnd");
  by_semaphore = 1; // NORACE
  struct sembuf up = {0, 1, 0};
  require(semop(semaphores, &up, 1) == 0, "semop");
  by_posix = 1; // NORACE
  require(mq_send(queue, "abc", 4, 0) == 0, "mq_send");
  unordered = 1;    // RACE(unordered)
  behind_other = 1; // RACE(other)
  require(msgsnd(others, &text, 4, 0) == 0, "msgsnd");
  invisible_signal(&gate);
  return NULL;
}

static void* receiver(void* unused) {
  struct Text text;
  require(msgrcv(messages, &text, sizeof text.text, 0, 0) == 4, "msgrcv");
  by_message = 2; // NORACE
  struct sembuf down = {0, -1, 0};
  require(semop(semaphores, &down, 1) == 0, "semop");
  by_semaphore = 2; // NORACE
  char message[64];
  require(mq_receive(queue, message, sizeof message, NULL) == 4, "mq_receive");
  by_posix = 2; // NORACE
  invisible_wait(&gate, 1);
  struct sembuf attempt = {0, -1, IPC_NOWAIT};
  require(semop(semaphores, &attempt, 1) != 0, "nothing is left to take");
  require(msgrcv(messages, &text, sizeof text.text, 0, IPC_NOWAIT) < 0, "no message is left");
  unordered = 2;    // RACE(unordered)
  behind_other = 2; // RACE(other)
  return NULL;
}

int main(void) {
  messages = msgget(IPC_PRIVATE, 0600);
  others = msgget(IPC_PRIVATE, 0600);
  semaphores = semget(IPC_PRIVATE, 1, 0600);
  char name[64];
  snprintf(name, sizeof name, "/footrace-%d", (int)getpid());
  struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 64};
  queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
  mq_unlink(name);
  require(messages >= 0 && others >= 0 && semaphores >= 0 && queue >= 0, "queues");
  run_two(sender, receiver);
  msgctl(messages, IPC_RMID, NULL);
  msgctl(others, IPC_RMID, NULL);
  semctl(semaphores, 0, IPC_RMID);
}
