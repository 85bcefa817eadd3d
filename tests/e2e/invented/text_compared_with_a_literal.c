// RUN: %e2e %s
// strcmp and strncmp read up to the first difference or the end of the text, also where the compiler knows that there is more.
#include "e2e.h"

#include <string.h>

char name[32] = "begin", title[32] = "begin", label[32] = "begin";
static struct InvisibleGate gate;

static void* reader(void* unused) {
  int same = strcmp(name, "what a long text") == 0;
  same += strncmp(title, "what a long text", 10) == 0;
  same += strcmp(label, "beginner") == 0; // RACE
  KEEP(same);
  invisible_signal(&gate);
  return NULL;
}

static void* writer(void* unused) {
  invisible_wait(&gate, 1);
  name[6] = 'x';  // NORACE
  title[6] = 'x'; // NORACE
  label[4] = 'x'; // RACE
  label[7] = 'x'; // NORACE
  return NULL;
}

int main(void) { run_two(reader, writer); }
