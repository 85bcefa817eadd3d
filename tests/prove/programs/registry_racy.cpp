// VERDICT: pairs
#include <mutex>
#include <thread>
#include <unordered_map>

int last;

class Registry {
public:
  void add(int key, int value) {
    std::lock_guard<std::mutex> guard(mutex_);
    values_[key] = value;
    last = key; // RACE
  }
  int find(int key) {
    std::lock_guard<std::mutex> guard(mutex_);
    auto found = values_.find(key);
    return found == values_.end() ? -1 : found->second;
  }

private:
  std::mutex mutex_;
  std::unordered_map<int, int> values_;
};

int main() {
  static Registry registry;
  std::thread thread([] { registry.add(1, 2); });
  int found = registry.find(1);
  int seen = last; // RACE
  thread.join();
  return found + seen;
}
