// How much memory the process occupies, for tests that bound it.
#pragma once

#include "e2e.h"

#include <unistd.h>

static inline long resident_megabytes(void) {
  long total = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  require(file && fscanf(file, "%ld %ld", &total, &resident) == 2, "/proc/self/statm");
  fclose(file);
  return resident * sysconf(_SC_PAGESIZE) >> 20;
}
