// A sleep orders nothing, and a report says where a program may have thought so; without one, and with one before the other access, it does not.
// RUN: rm -rf %t && mkdir %t && %cxx -O1 %s -o %t/program
// RUN: %exits 66 %t/program cxx 2>&1 | %filecheck %s --check-prefix=CXX
// RUN: %exits 66 %t/program c 2>&1 | %filecheck %s --check-prefix=C
// RUN: %exits 66 %t/program no 2>&1 | %filecheck %s --check-prefix=NO
// RUN: %exits 66 %t/program early 2>&1 | %filecheck %s --check-prefix=NO
#include "e2e.h"
#include <chrono>
#include <cstring>
#include <thread>
#include <unistd.h>

static InvisibleGate gate;
int shared;

int main(int, char** arguments) {
  const char* mode = arguments[1];
  if (!strcmp(mode, "early")) usleep(1000);
  std::thread other([] {
    shared = 1;
    invisible_signal(&gate);
    invisible_wait(&gate, 2);
  });
  invisible_wait(&gate, 1);
  // CXX: Main thread slept after the previous access, as if that ordered the two, at:
  // CXX: main {{.*}}slept_in_between.cpp:[[#@LINE+1]]:
  if (!strcmp(mode, "cxx")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  // C: Main thread slept after the previous access, as if that ordered the two, at:
  // C: main {{.*}}slept_in_between.cpp:[[#@LINE+1]]:
  if (!strcmp(mode, "c")) usleep(1000);
  // NO-NOT: slept after
  shared = 2;
  // NO: SUMMARY: footrace: data race
  invisible_signal(&gate);
  other.join();
}
