// A thread that is created before main.
// VERDICT: pairs
#include <thread>
static int data;
struct Starter {
  std::thread thread;
  Starter() : thread([] { data = 1; }) {} // RACE
  ~Starter() { thread.join(); }
};
static Starter starter;
int main() {
  data = 2; // RACE
}
