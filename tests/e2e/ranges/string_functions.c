// RUN: %e2e %s
// The common str* and mem* functions read and write what they are documented to.
// FLAGS: -fno-builtin
#include "e2e.h"
#include <string.h>

char length[8] = "abc", copied[8], appended[8] = "a", left[8] = "abc", right[8] = "abc", searched[8] = "abc",
     limited[8], compared[8] = "abc", duplicated[8] = "abc";
static struct InvisibleGate gate;

static void* first(void* unused) {
  KEEP(strlen(length));            // RACE(strlen)
  strcpy(copied, "abc");           // RACE(strcpy)
  strcat(appended, "bc");          // RACE(strcat)
  KEEP(strcmp(left, right));       // RACE(strcmp)
  KEEP(strchr(searched, 'c'));     // RACE(strchr)
  strncpy(limited, "ab", 6);       // RACE(strncpy)
  KEEP(memcmp(compared, left, 3)); // RACE(memcmp)
  free(strdup(duplicated));        // RACE(strdup)
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  length[1] = 'x';        // RACE(strlen)
  KEEP((int)copied[3]);   // RACE(strcpy)
  KEEP((int)appended[2]); // RACE(strcat)
  right[1] = 'x';         // RACE(strcmp)
  searched[2] = 'x';      // RACE(strchr)
  KEEP((int)limited[5]);  // RACE(strncpy)
  compared[1] = 'x';      // RACE(memcmp)
  duplicated[3] = 'x';    // RACE(strdup)
  return NULL;
}

int main(void) { run_two(first, second); }
