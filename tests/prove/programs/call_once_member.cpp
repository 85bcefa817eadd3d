// VERDICT: race-free
#include <mutex>
#include <thread>

class Lazy {
public:
  int get() {
    std::call_once(once_, &Lazy::make, this, 7);
    return value_;
  }

private:
  void make(int value) { value_ = value; }
  std::once_flag once_;
  int value_ = 0;
};

int main() {
  Lazy lazy;
  std::thread thread([&] { lazy.get(); });
  int value = lazy.get();
  thread.join();
  return value;
}
