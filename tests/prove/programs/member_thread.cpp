// A thread that runs a member function of the object that owns it.
// VERDICT: race-free
#include <mutex>
#include <thread>

class Counter {
public:
  void start() { worker_ = std::thread(&Counter::run, this); }
  void stop() { worker_.join(); }
  int value() {
    std::lock_guard<std::mutex> guard(mutex_);
    return value_;
  }

private:
  void run() {
    std::lock_guard<std::mutex> guard(mutex_);
    value_++;
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
