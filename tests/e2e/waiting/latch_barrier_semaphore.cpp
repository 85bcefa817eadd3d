// RUN: %e2e %s
// C++20 latch, barrier (with its completion function) and semaphores order as documented.
#include "e2e.h"
#include <barrier>
#include <latch>
#include <semaphore>

static std::latch latch(3);
int completed, cells[3], passed;
static auto on_completion = []() noexcept { ++completed; }; // NORACE
static std::barrier barrier(3, on_completion);
static std::counting_semaphore<8> slots(0);
static std::binary_semaphore token(1);

static void* body(void* argument) {
  long me = (long)argument;
  cells[me] = 1; // NORACE
  latch.arrive_and_wait();
  KEEP(cells[0] + cells[1] + cells[2]); // NORACE
  for (int i = 0; i < 10; ++i) {
    barrier.arrive_and_wait();
    cells[me] = i; // NORACE
    barrier.arrive_and_wait();
    KEEP(cells[(me + 1) % 3] + completed); // NORACE
  }
  token.acquire();
  ++passed; // NORACE
  token.release();
  slots.release();
  return nullptr;
}

int main() {
  pthread_t threads[3];
  for (long i = 0; i < 3; ++i) threads[i] = start(body, (void*)i);
  for (int i = 0; i < 3; ++i) slots.acquire();
  require(passed == 3 && completed == 20, "all passed"); // NORACE
  for (pthread_t thread : threads) join(thread);
}
