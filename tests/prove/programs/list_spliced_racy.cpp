// VERDICT: pairs
// A node goes from one list to the other, and its number with it.
#include <list>
#include <thread>

static std::list<int> from{1}, to;

int main() {
  int& number = from.front();
  to.splice(to.begin(), from);
  to.reverse();
  std::list<int> last;
  last.swap(to);
  std::thread thread([&last] { last.front() = 2; }); // RACE
  number = 3;                                        // RACE
  thread.join();
  return 0;
}
