// RUN: %e2e %s
// Copying a struct as a whole writes each of its bytes: a read of the last member races, a read behind the
// struct does not.
#include "e2e.h"

struct Wide {
  long words[11];
  char last;
};
struct {
  struct Wide wide;
  long behind;
} object;
static struct Wide source = {{1}, 2};
static struct InvisibleGate gate;

static void* writer(void* unused) {
  object.wide = source; // RACE
  invisible_signal(&gate);
  return NULL;
}

static void* reader(void* unused) {
  invisible_wait(&gate, 1);
  KEEP(object.behind);         // NORACE
  KEEP((int)object.wide.last); // RACE
  return NULL;
}

int main(void) { run_two(writer, reader); }
