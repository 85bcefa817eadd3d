// RUN: %e2e %s
// The links of a std::map are changed by code inside libstdc++.so, and std::set's iterators go along them there: an insertion races with a walk,
// an erasure with a lookup. Walks in both directions end up where they should, whatever the shape of the tree.
#include "e2e.h"
#include <map>
#include <mutex>
#include <set>
#include <string.h>

static std::set<int> walked, walked_by_both;
static std::map<int, int> looked_up;
static InvisibleGate gate;

// What new nodes have in them is what was there before: the links of a node that is not in the tree yet mean nothing.
static void leave_garbage() {
  void* blocks[600];
  for (void*& block : blocks) block = memset(malloc(40), 0xa5, 40);
  for (void* block : blocks) free(block);
}

static void check_walks() {
  leave_garbage();
  for (int size : {0, 1, 2, 3, 10, 500}) {
    std::set<int> set;
    for (int i = 0; i < size; ++i) set.insert(i * 7919 % 1009);
    for (int i = 0; i < size; i += 3) set.erase(i * 7919 % 1009);
    leave_garbage();
    for (int i = 0; i < size; i += 6) set.insert(i * 7919 % 1009);
    int count = 0, last = -1;
    for (int value : set) {
      require(value > last, "in order");
      last = value;
      ++count;
    }
    for (auto at = set.rbegin(); at != set.rend(); ++at) {
      require(*at <= last, "in reverse order");
      last = *at;
      --count;
    }
    require(count == 0, "both ways are as long");
  }
}

static void* changer(void*) {
  for (int value : walked_by_both) KEEP(value); // NORACE
  walked.insert(100);                           // RACE
  looked_up.erase(6);                           // RACE
  invisible_signal(&gate);
  return nullptr;
}

static void* reader(void*) {
  invisible_wait(&gate, 1);
  for (int value : walked_by_both) KEEP(value); // NORACE
  for (int value : walked) KEEP(value);         // RACE
  KEEP(looked_up.find(7) != looked_up.end());   // RACE
  return nullptr;
}

int main() {
  check_walks();
  for (int i = 0; i < 8; ++i) {
    walked.insert(i);
    walked_by_both.insert(i);
    looked_up[i] = i;
  }
  run_two(changer, reader);
  KEEP(walked.size());
}
