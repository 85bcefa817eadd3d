// RUN: %e2e %s
// std::cout from several threads, and string streams of their own: nothing to report.
// EXPECT-OUT: line 19
#include "e2e.h"
#include <iostream>
#include <sstream>

static void* body(void* argument) {
  for (int i = 0; i < 20; ++i) {
    std::ostringstream text;
    text << "thread " << (long)argument << " line " << i << "\n";
    std::cout << text.str() << std::flush;
  }
  return nullptr;
}

int main() { run_many(3, body); }
