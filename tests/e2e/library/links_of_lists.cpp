// RUN: %e2e %s
// The links of a std::list are changed by code inside libstdc++.so: whoever goes along them meanwhile races with it.
#include "e2e.h"
#include <list>
#include <string>

static std::list<int> pushed, erased, spliced, source, reversed, swapped, read_by_both;
static InvisibleGate gate;

static void* changer(void*) {
  for (int value : read_by_both) KEEP(value); // NORACE
  pushed.push_back(9);                        // RACE
  erased.erase(++erased.begin());             // RACE
  spliced.splice(++spliced.begin(), source);  // RACE
  reversed.reverse();                         // RACE
  std::list<int> none;
  swapped.swap(none); // RACE
  invisible_signal(&gate);
  invisible_wait(&gate, 2);
  return nullptr;
}

static void walk(const std::list<int>& list) {
  for (auto at = list.begin(); at != list.end(); ++at) KEEP(&*at); // RACE
}

static void* reader(void*) {
  invisible_wait(&gate, 1);
  for (int value : read_by_both) KEEP(value); // NORACE
  for (const std::list<int>* list : {&pushed, &erased, &spliced, &reversed, &swapped}) walk(*list);
  invisible_signal(&gate);
  return nullptr;
}

int main() {
  for (std::list<int>* list : {&pushed, &erased, &spliced, &source, &reversed, &swapped, &read_by_both})
    *list = {1, 2, 3, 4};
  run_two(changer, reader);
}
