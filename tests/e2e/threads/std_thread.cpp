// RUN: %e2e %s
// std::thread and std::jthread order their start and join; without that, their bodies race. The report shows
// where the program created them, though libstdc++ made the call.
// EXPECT-TEXT: make_threads
#include "e2e.h"
#include <thread>

int ordered, raced;
static InvisibleGate gate;

__attribute__((noinline)) static void make_threads() {
  ordered = 1; // NORACE
  std::thread first([] {
    ordered = 2; // NORACE
    raced = 1;   // RACE
    invisible_signal(&gate);
  });
  {
    std::jthread second(
        [](int value) {
          invisible_wait(&gate, 1);
          raced = value; // RACE
        },
        2);
  }
  first.join();
  ordered = 3; // NORACE
}

int main() {
  make_threads();
  return 0;
}
