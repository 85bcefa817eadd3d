// Each object has its own flag, and both make the same variable.
// VERDICT: pairs
#include <mutex>
#include <thread>

int made;

class Lazy {
public:
  int get() {
    std::call_once(once_, &Lazy::make, this, 7);
    return made; // RACE
  }

private:
  void make(int value) { made = value; } // RACE
  std::once_flag once_;
};

int main() {
  Lazy one, two;
  std::thread thread([&] { two.get(); });
  int value = one.get();
  thread.join();
  return value;
}
