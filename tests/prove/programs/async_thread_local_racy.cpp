// If the work is done by who asks for the result, its thread-local variable is the one of that thread.
// VERDICT: pairs
#include <future>
#include <thread>
static thread_local int own;
static int* published;
int main() {
  std::future<void> work = std::async([] { published = &own; }); // IMPRECISE
  work.get();                                                    // IMPRECISE
  std::thread other([] { *published = 1; });                     // RACE
  own = 2;                                                       // RACE
  other.join();
}
