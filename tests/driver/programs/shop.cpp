// Races of many shapes that a run, scan and prove all see.
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

int global_count = 0;

struct Price {
  long cents = 0;
};

template <class T> class Box {
public:
  void set(T value) { value_ = value; } // RACE
  void lock_and_set(T value) {
    std::lock_guard<std::mutex> guard(mutex_);
    value_ = value;
  }

private:
  std::mutex mutex_;
  T value_{};
};

class Shop {
public:
  Shop() : offer_(new Price) {}
  ~Shop() { delete offer_; }
  void member() {
    sold_ = sold_ + 1; // RACE
    std::lock_guard<std::mutex> guard(mutex_);
    sold_++;
  }
  void nested() {
    price_.cents = 3; // RACE
    std::lock_guard<std::mutex> guard(mutex_);
    price_.cents -= 1;
  }
  void element(int i) {
    shelf_[i] = 1; // RACE
    std::lock_guard<std::mutex> guard(mutex_);
    shelf_[i] += 2;
  }
  void heap() {
    offer_->cents = 5; // RACE
    std::lock_guard<std::mutex> guard(mutex_);
    offer_->cents += 1;
  }
  void global() {
    global_count++; // RACE
    std::lock_guard<std::mutex> guard(mutex_);
    global_count += 2;
  }
  void lambda() {
    auto add = [this](int n) { visits_ += n; }; // RACE
    add(1);
    std::lock_guard<std::mutex> guard(mutex_);
    visits_ = 0;
  }

private:
  std::mutex mutex_;
  long sold_ = 0;
  int visits_ = 0;
  Price price_;
  int shelf_[8] = {};
  Price* offer_;
};

Shop shop;
Box<long> box;

std::atomic<int> here{0};

// Both at once, in opposite directions; relaxed operations order nothing.
void work(bool backwards) {
  here.fetch_add(1, std::memory_order_relaxed);
  while (here.load(std::memory_order_relaxed) < 2) continue;
  for (int i = 0; i < 7; ++i) {
    switch (backwards ? 6 - i : i) {
    case 0:
      shop.member();
      break;
    case 1:
      shop.nested();
      break;
    case 2:
      shop.element(2);
      break;
    case 3:
      shop.heap();
      break;
    case 4:
      shop.global();
      break;
    case 5:
      shop.lambda();
      break;
    case 6:
      box.set(1);
      box.lock_and_set(2);
      break;
    }
  }
}

int main() {
  std::thread first(work, false), second(work, true);
  first.join();
  second.join();
}
