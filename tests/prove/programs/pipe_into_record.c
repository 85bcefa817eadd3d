// VERDICT: race-free by global-lock
// What is read into a member of a record is no address: the lock beside it is still known.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct Connection {
  int descriptor;
  long header[4];
  pthread_mutex_t lock;
  int count;
};

static struct Connection connection;

static void* work(void* unused) {
  pthread_mutex_lock(&connection.lock);
  if (read(connection.descriptor, connection.header, sizeof connection.header) > 0) connection.count++;
  pthread_mutex_unlock(&connection.lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_mutex_init(&connection.lock, NULL);
  pthread_create(&thread, NULL, work, NULL);
  pthread_mutex_lock(&connection.lock);
  if (write(connection.descriptor, connection.header, sizeof connection.header) > 0) connection.count--;
  pthread_mutex_unlock(&connection.lock);
  pthread_join(thread, NULL);
  return 0;
}
