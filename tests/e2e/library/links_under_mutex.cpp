// RUN: %e2e %s
// Lists, trees and hash tables of strings that are only changed and read under a lock: nothing to report, though their links are changed by
// code that is not instrumented.
#include "e2e.h"
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <unordered_set>

static std::mutex mutex;
static std::list<std::string> list;
static std::multimap<int, std::string> tree;
static std::unordered_set<std::string> hash;

static void* body(void* argument) {
  for (int i = 0; i < 300; ++i) {
    std::lock_guard guard(mutex); // NORACE
    std::string text = std::to_string(i * 31 % 101 + (long)argument);
    list.push_front(text);
    if (i % 3 == 0) list.pop_back();
    if (i % 50 == 0) list.sort();
    if (i % 70 == 0) list.reverse();
    tree.emplace(i % 17, text);
    if (i % 5 == 0 && !tree.empty()) tree.erase(tree.begin());
    for (auto& entry : tree) KEEP(entry.second.size());
    hash.insert(text);
    KEEP(hash.count("42"));
  }
  return nullptr;
}

int main() { run_many(3, body); }
