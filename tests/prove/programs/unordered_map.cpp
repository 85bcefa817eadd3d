// A hash table of strings under a lock.
// VERDICT: race-free
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
std::unordered_map<std::string, int> d;
std::mutex m;
int main() {
  std::thread t([] {
    std::lock_guard g(m);
    d["a"]++;
  });
  {
    std::lock_guard g(m);
    d["b"]++;
  }
  t.join();
  return (int)d.size();
}
