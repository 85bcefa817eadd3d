// A vector behind a lock; if an exception ends the function, a std::thread that is destroyed was joined before.
// VERDICT: race-free
#include <mutex>
#include <string>
#include <thread>
#include <vector>
class Log {
public:
  void add(int x) {
    std::lock_guard g(m_);
    items_.push_back(x);
  }
  int size() {
    std::lock_guard g(m_);
    return (int)items_.size();
  }

private:
  std::mutex m_;
  std::vector<int> items_;
};
int main() {
  Log log;
  std::thread t([&] {
    for (int i = 0; i < 10; i++) log.add(i);
  });
  std::thread u([&] { log.add(2); });
  int n = log.size();
  t.join();
  u.join();
  return n;
}
