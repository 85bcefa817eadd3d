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

// Turns at one condition variable: each waits for its own and then gives it to the other.
class Table {
public:
  void ping_ok() {
    for (int i = 0; i < 10; ++i) {
      {
        std::unique_lock<std::mutex> guard(mutex_);
        while (turn_ != 0) changed_.wait(guard);
      }
      ball_ = i;
      {
        std::lock_guard<std::mutex> guard(mutex_);
        turn_ = 1;
      }
      changed_.notify_all();
    }
  }
  void pong_ok() {
    for (int i = 0; i < 10; ++i) {
      {
        std::unique_lock<std::mutex> guard(mutex_);
        while (turn_ != 1) changed_.wait(guard);
      }
      ball_ = -i;
      {
        std::lock_guard<std::mutex> guard(mutex_);
        turn_ = 0;
      }
      changed_.notify_all();
    }
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int turn_ = 0, ball_ = 0;
};
void play() {
  Table table;
  std::thread one([&] { table.ping_ok(); }), other([&] { table.pong_ok(); });
  one.join();
  other.join();
}

// All wait for the same start, and then nobody waits for anybody.
std::mutex gate;
std::condition_variable opened, finished;
bool is_open = false;
int runners = 0, arrived = 0;
void runner_bad() {
  {
    std::unique_lock<std::mutex> guard(gate);
    while (!is_open) opened.wait(guard);
  }
  ++arrived;
  {
    std::lock_guard<std::mutex> guard(gate);
    --runners;
  }
  finished.notify_one();
}
void race() {
  std::thread threads[4];
  for (std::thread& thread : threads) thread = std::thread(runner_bad);
  {
    std::lock_guard<std::mutex> guard(gate);
    runners = 4;
    is_open = true;
  }
  opened.notify_all();
  for (std::thread& thread : threads) thread.join();
}

int main() {
  play();
  race();
  std::thread threads[] = {std::thread(producer_ok),   std::thread(consumer_ok),    std::thread(prepare_ok),
                           std::thread(work_ok),       std::thread(hurry_bad),      std::thread(rush_bad),
                           std::thread(first_half_ok), std::thread(second_half_ok), std::thread(compute_ok),
                           std::thread(print_ok),      std::thread(close_bad),      std::thread(loop_ok)};
  for (std::thread& thread : threads) thread.join();
  return given + prepared + early + total;
}
