// RUN: %e2e %s
// What is reserved is not resident: a process that does nothing, threads included, stays below 10 MB.
// LEVELS: O2
#include "e2e.h"
#include "resident.h"

static void* idle(void* unused) { return NULL; } // NORACE

int main(void) {
  long before = resident_megabytes();
  run_many(4, idle);
  long after = resident_megabytes();
  if (before >= 10 || after >= 10) fprintf(stderr, "%ld MB, then %ld MB are resident\n", before, after);
  require(before < 10 && after < 10, "an idle process is small");
}
