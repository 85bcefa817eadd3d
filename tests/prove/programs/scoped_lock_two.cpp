// std::scoped_lock of two, in either order.
// VERDICT: race-free
#include <mutex>
#include <thread>
int a;
std::mutex m, n;
int main() {
  std::thread t([&] {
    std::scoped_lock l(m, n);
    a++;
  });
  {
    std::scoped_lock l(n, m);
    a++;
  }
  t.join();
  return a;
}
