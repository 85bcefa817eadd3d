// RUN: %e2e %s
// std::atomic<double>::fetch_add and friends do not race and add up.
#include "e2e.h"
#include <atomic>

static std::atomic<double> sum{0};
static std::atomic<float> small{0};

static void* body(void*) {
  for (int i = 0; i < 1000; ++i) {
    sum.fetch_add(0.5, std::memory_order_relaxed);
    small += 1;
  }
  return nullptr;
}

int main() {
  run_many(4, body);
  require(sum == 2000 && small == 4000, "the sums are right");
}
