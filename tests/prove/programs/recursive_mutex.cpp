// A lock that its holder takes again, in C++.
// VERDICT: race-free by global-lock
#include <mutex>
#include <thread>
static int data;
static std::recursive_mutex m;
static void add(int n) {
  std::lock_guard g(m);
  data++;
  if (n) add(n - 1);
}
int main() {
  std::thread t(add, 3);
  add(2);
  t.join();
}
