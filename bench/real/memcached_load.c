// Load for a memcached server on a Unix socket: `threads` connections, each `rounds` times a pipeline of sets and then one
// of gets of its own keys. Prints how many values came back, all of which must be right.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { keys = 100, value_size = 64 };

static const char* socket_path;
static long rounds;

static void fail(const char* what) {
  perror(what);
  exit(1);
}

// The server is being started: an instrumented one takes a moment.
static int connect_to_server(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, socket_path, sizeof address.sun_path - 1);
  for (int i = 0; i < 200; ++i) {
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0) fail("socket");
    if (!connect(fd, (struct sockaddr*)&address, sizeof address)) return fd;
    close(fd);
    usleep(100000);
  }
  fail("connect");
  return -1;
}

static void send_all(int fd, const char* text, size_t size) {
  while (size) {
    ssize_t sent = write(fd, text, size);
    if (sent <= 0) fail("write");
    text += sent;
    size -= (size_t)sent;
  }
}

// Reads answers until `end` has come `count` times; returns how many lines began with `wanted`.
static long receive(FILE* in, const char* end, long count, const char* wanted) {
  char line[512];
  long found = 0;
  while (count && fgets(line, sizeof line, in)) {
    if (!strncmp(line, wanted, strlen(wanted))) ++found;
    if (!strncmp(line, end, strlen(end))) --count;
  }
  if (count) fail("the server closed the connection");
  return found;
}

static void* client(void* number) {
  long id = (long)number, hits = 0;
  int fd = connect_to_server();
  FILE* in = fdopen(fd, "r");
  static __thread char sets[keys * (value_size + 64)], gets[keys * 64], value[value_size + 1];
  for (long round = 0; round < rounds; ++round) {
    snprintf(value, sizeof value, "%0*ld", value_size, id * rounds + round);
    char *s = sets, *g = gets;
    for (int key = 0; key < keys; ++key) {
      s += sprintf(s, "set k%ld-%d 0 0 %d\r\n%s\r\n", id, key, value_size, value);
      g += sprintf(g, "get k%ld-%d\r\n", id, key);
    }
    send_all(fd, sets, (size_t)(s - sets));
    if (receive(in, "STORED", keys, "STORED") != keys) fail("set");
    send_all(fd, gets, (size_t)(g - gets));
    hits += receive(in, "END", keys, value);
  }
  fclose(in);
  return (void*)hits;
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: %s SOCKET THREADS ROUNDS\n", argv[0]);
    return 2;
  }
  socket_path = argv[1];
  long threads = atol(argv[2]), hits = 0;
  rounds = atol(argv[3]);
  pthread_t id[64];
  if (threads < 1 || threads > 64) return 2;
  for (long i = 0; i < threads; ++i) pthread_create(&id[i], NULL, client, (void*)i);
  for (long i = 0; i < threads; ++i) {
    void* result;
    pthread_join(id[i], &result);
    hits += (long)result;
  }
  printf("%ld values\n", hits);
  return 0;
}
