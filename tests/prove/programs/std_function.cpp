// Callbacks in std::function: both are found and judged.
// VERDICT: pairs
#include <functional>
#include <thread>
static int good, bad;
static std::function<void()> chosen;
int main(int argc, char**) {
  if (argc > 1)
    chosen = [] {
      bad++; // RACE
    };
  else
    chosen = [] {};
  std::thread other([] { chosen(); });
  bad++; // RACE
  good++;
  other.join();
  return good;
}
