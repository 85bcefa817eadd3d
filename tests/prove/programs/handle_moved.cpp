// The thread has been moved elsewhere: what is destroyed is empty.
// VERDICT: pairs
#include <thread>
static int data;
static std::thread kept;
int main() {
  {
    std::thread t([] { data = 1; }); // RACE
    kept = std::move(t);
  }
  data = 2; // RACE
  kept.join();
}
