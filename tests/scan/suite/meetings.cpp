// Where threads meet: semaphores, latches, barriers, condition variables. What is done before the one and after the other is ordered.
#include <barrier>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <queue>
#include <semaphore>
#include <thread>

std::binary_semaphore full{0};
std::latch ready{1};
std::barrier<> phase{2};
std::mutex mutex;
std::condition_variable changed;
int given = 0, prepared = 0, early = 0, result = 0, careless = 0, partial[2] = {}, total = 0;
bool done = false, closed = false;

void producer_ok() {
  given = 1;
  full.release();
}
void consumer_ok() {
  full.acquire();
  given = 2;
}
void prepare_ok() {
  prepared = 1;
  ready.count_down();
}
void work_ok() {
  ready.wait();
  prepared = 2;
}
// Before the meeting nothing is ordered.
void hurry_bad() {
  early = 1;
  full.release();
}
void rush_bad() {
  early = 2;
  full.acquire();
}
void first_half_ok() {
  partial[0] = 1;
  phase.arrive_and_wait();
}
void second_half_ok() {
  partial[1] = 1;
  phase.arrive_and_wait();
  total = partial[0] + partial[1];
}
// The lock that is taken before the signal orders what came before it; without one nothing does.
void compute_ok() {
  result = 42;
  {
    std::lock_guard<std::mutex> guard(mutex);
    done = true;
  }
  changed.notify_one();
}
void print_ok() {
  std::unique_lock<std::mutex> guard(mutex);
  while (!done) changed.wait(guard);
  result = 0;
}
void close_bad() {
  closed = true;
  changed.notify_all();
}
void loop_ok() {
  std::unique_lock<std::mutex> guard(mutex);
  while (!closed) changed.wait(guard);
}

int main() {
  std::thread threads[] = {std::thread(producer_ok),   std::thread(consumer_ok),    std::thread(prepare_ok),
                           std::thread(work_ok),       std::thread(hurry_bad),      std::thread(rush_bad),
                           std::thread(first_half_ok), std::thread(second_half_ok), std::thread(compute_ok),
                           std::thread(print_ok),      std::thread(close_bad),      std::thread(loop_ok)};
  for (std::thread& thread : threads) thread.join();
  return given + prepared + early + total;
}
