// The access comes before std::lock.
// VERDICT: pairs
#include <mutex>
#include <thread>
int a;
std::mutex m, n;
void f() {
  std::unique_lock<std::mutex> g(m, std::defer_lock), h(n, std::defer_lock);
  a++; // RACE
  std::lock(g, h);
}
int main() {
  std::thread t(f);
  f();
  t.join();
  return a;
}
