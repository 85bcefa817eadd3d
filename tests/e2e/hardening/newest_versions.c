// RUN: %e2e %s
// Functions that glibc keeps in older versions, too, are the newest ones.
#include "e2e.h"
#include <glob.h>
#include <math.h>
#include <regex.h>
#include <sched.h>

int main(void) {
  char* path = realpath("/", NULL); // the old one takes no null
  require(path && path[0] == '/', "realpath");
  free(path);
  cpu_set_t set;
  require(sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0,
          "sched_getaffinity"); // the old one has two arguments
  CPU_ZERO(&set);
  require(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0 && CPU_COUNT(&set) > 0,
          "pthread_getaffinity_np");
  regex_t pattern;
  regmatch_t match = {.rm_so = 1, .rm_eo = 3};
  require(regcomp(&pattern, "b", 0) == 0, "regcomp");
  require(regexec(&pattern, "abc", 1, &match, REG_STARTEND) == 0 && match.rm_so == 1,
          "regexec"); // the old one knows no REG_STARTEND
  regfree(&pattern);
  glob_t found;
  require(glob("/*", 0, NULL, &found) == 0 && found.gl_pathc > 0, "glob");
  globfree(&found);
  volatile double x = 5;
  int quotient;
  require(remquo(x, 2, &quotient) == 1 && (quotient & 3) == 2, "remquo, without libm if need be");
}
