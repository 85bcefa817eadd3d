// One thread is detached: the destructor of the vector does not mind.
// VERDICT: pairs
#include <thread>
#include <vector>
static int shared;
static void run() {
  std::vector<std::thread> team;
  team.emplace_back([] {
    shared++; // RACE
  });
  team.front().detach();
}
int main() {
  run();
  return shared; // RACE
}
