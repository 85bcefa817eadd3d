// RUN: rm -rf %t && mkdir %t && %cc -O1 %s -o %t/program
// RUN: %exits 66 %t/program 2> %t/stderr
// RUN: %filecheck %s < %t/stderr
// Somebody kills the reporter between two races: a new one tells of the second.
// CHECK: first_race
// CHECK: second_race
#include "e2e.h"
#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

int first_race, second_race;
static struct InvisibleGate gate;

// The reporter is the process whose standard input is the other end of a socket of ours: here, simply the
// only footrace-reporter that was started after us and has our standard error.
static void kill_reporters(void) {
  char mine[256], theirs[256], path[300], name[64];
  ssize_t n = readlink("/proc/self/fd/2", mine, sizeof mine);
  DIR* processes = opendir("/proc");
  int killed = 0;
  for (struct dirent* entry; (entry = readdir(processes));) {
    int pid = atoi(entry->d_name);
    if (pid <= 0) continue;
    snprintf(path, sizeof path, "/proc/%d/comm", pid);
    FILE* comm = fopen(path, "r");
    if (!comm) continue;
    char* got = fgets(name, sizeof name, comm);
    fclose(comm);
    if (!got || strncmp(name, "footrace-report", 15)) continue;
    snprintf(path, sizeof path, "/proc/%d/fd/2", pid);
    if (readlink(path, theirs, sizeof theirs) != n || memcmp(mine, theirs, (size_t)n)) continue;
    killed += kill(pid, SIGKILL) == 0;
  }
  closedir(processes);
  require(killed == 1, "one reporter was there");
}

static void* first(void* unused) {
  first_race = 1;
  second_race = 1;
  invisible_signal(&gate);
  return NULL;
}
static void* second(void* unused) {
  invisible_wait(&gate, 1);
  first_race = 2;
  kill_reporters();
  second_race = 2;
  return NULL;
}
int main(void) { run_two(first, second); }
