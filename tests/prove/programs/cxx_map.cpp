// The nodes of a std::map belong to whoever holds the lock of the map; a shared_ptr counts its users atomically.
// VERDICT: race-free by global-lock
#include <map>
#include <memory>
#include <mutex>
#include <thread>

std::mutex lock;
std::map<int, int> table;
std::shared_ptr<int> text = std::make_shared<int>(1);

static void work() {
  std::shared_ptr<int> mine = text;
  std::lock_guard<std::mutex> guard(lock);
  table[1] = *mine;
  table.erase(2);
}

int main() {
  std::thread other(work);
  {
    std::lock_guard<std::mutex> guard(lock);
    table[2] = 3;
    for (auto& entry : table) entry.second++;
  }
  other.join();
  return 0;
}
