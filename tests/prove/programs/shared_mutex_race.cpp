// Readers that write, in C++.
// VERDICT: pairs
#include <shared_mutex>
#include <thread>
static int data;
static std::shared_mutex m;
static void change() {
  std::shared_lock<std::shared_mutex> l(m);
  data++; // RACE
}
int main() {
  std::thread t(change);
  change();
  t.join();
}
