// Records with pointers are copied as bytes.
// VERDICT: pairs
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct inner {
  int pad;
  int* p;
};
struct outer {
  char c;
  struct inner in[3];
};
static int data;
static char buffer[sizeof(struct outer)];
static void* work(void* p) {
  struct outer* o = malloc(sizeof *o);
  memcpy(o, buffer, sizeof *o);
  *o->in[1].p = 1; // RACE
  return 0;
}
int main(void) {
  pthread_t t;
  struct outer o;
  memset(&o, 0, sizeof o);
  o.in[1].p = &data;
  memcpy(buffer, &o, sizeof o);
  pthread_create(&t, 0, work, 0);
  data = 2; // RACE
  pthread_join(t, 0);
}
