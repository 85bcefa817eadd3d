// std::lock of two std::unique_lock.
// VERDICT: race-free
#include <mutex>
#include <thread>
int a;
std::mutex m, n;
void f() {
  std::unique_lock<std::mutex> g(m, std::defer_lock), h(n, std::defer_lock);
  std::lock(g, h);
  a++;
}
int main() {
  std::thread t(f);
  f();
  t.join();
  return a;
}
