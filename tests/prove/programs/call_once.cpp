// What std::call_once did is done for all.
// VERDICT: race-free
#include <mutex>
#include <thread>
static int data;
static std::once_flag flag;
static int use() {
  std::call_once(flag, [] { data = 1; });
  return data;
}
int main() {
  std::thread t(use);
  int x = use();
  t.join();
  return x;
}
