// Destructors of thread-local variables run in their threads.
// VERDICT: pairs
#include <thread>
static int data;
struct Last {
  ~Last() { data = 1; } // RACE
  int n = 0;
};
static thread_local Last last;
int main() {
  std::thread t([] { last.n = 1; });
  data = 2; // RACE
  t.join();
}
