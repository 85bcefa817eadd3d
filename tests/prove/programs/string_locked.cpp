// Strings under a lock, and std::cout, which locks itself.
// VERDICT: race-free
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
std::string s;
std::mutex m;
int main() {
  std::thread t([] {
    std::lock_guard g(m);
    s += "abc";
  });
  {
    std::lock_guard g(m);
    s += "def";
  }
  t.join();
  std::cout << s << "\n";
  return 0;
}
