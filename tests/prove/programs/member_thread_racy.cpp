// VERDICT: pairs
#include <mutex>
#include <thread>

class Counter {
public:
  void start() { worker_ = std::thread(&Counter::run, this); }
  void stop() { worker_.join(); }
  int value() { return value_; } // RACE

private:
  void run() {
    std::lock_guard<std::mutex> guard(mutex_);
    value_++; // RACE
  }

  int value_ = 0;
  std::mutex mutex_;
  std::thread worker_;
};

int main() {
  Counter counter;
  counter.start();
  int now = counter.value();
  counter.stop();
  return now;
}
