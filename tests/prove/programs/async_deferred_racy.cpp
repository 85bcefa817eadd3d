// Who asks for the result does the work.
// VERDICT: pairs
#include <future>
#include <thread>
static int shared;
int main() {
  std::future<void> work = std::async(std::launch::deferred, [] { shared = 1; }); // RACE
  std::thread asks([&work] { work.get(); });
  shared = 2; // RACE
  asks.join();
}
