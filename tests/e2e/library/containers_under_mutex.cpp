// RUN: %e2e %s
// Standard containers and strings under a mutex: nothing to report, also where libstdc++ itself is not
// instrumented.
#include "e2e.h"
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

static std::mutex mutex;
static std::string text;
static std::vector<std::string> vector;
static std::map<int, std::string> map;
static std::unordered_map<std::string, int> hash;

static void* body(void* argument) {
  for (int i = 0; i < 200; ++i) {
    std::string mine = "thread " + std::to_string((long)argument) + " step " + std::to_string(i);
    std::lock_guard guard(mutex);
    text += mine;
    vector.push_back(mine);
    map[i] = mine;
    if (i > 50) map.erase(i - 50);
    ++hash[mine];
  }
  return nullptr;
}

int main() {
  run_many(3, body);
  require(vector.size() == 600 && hash.size() == 600, "all were added");
}
