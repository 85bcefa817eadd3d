// std::lock, and guards that adopt.
// VERDICT: race-free
#include <mutex>
#include <thread>
int a;
std::mutex m, n;
void f() {
  std::lock(m, n);
  std::lock_guard<std::mutex> g(m, std::adopt_lock), h(n, std::adopt_lock);
  a++;
}
int main() {
  std::thread t(f);
  f();
  t.join();
  return a;
}
